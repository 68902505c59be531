/**
 * Hosts on which many companies have a page: networks, directories, shops, builders of sites, shorteners. Their names, and all below
 * them where a page's owner does not get a name of their own there.
 */
const SHARED = new Set(
  `linkedin.com lnkd.in xing.com facebook.com fb.com fb.me instagram.com twitter.com x.com t.co threads.net bsky.app mastodon.social
   youtube.com youtu.be tiktok.com pinterest.com snapchat.com reddit.com vk.com ok.ru weibo.com wechat.com line.me kakao.com
   t.me telegram.me wa.me whatsapp.com discord.gg discord.com slack.com meetup.com eventbrite.com
   vimeo.com twitch.tv soundcloud.com spotify.com flickr.com behance.net dribbble.com medium.com substack.com tumblr.com
   github.com gitlab.com bitbucket.org producthunt.com crunchbase.com angel.co wellfound.com pitchbook.com zoominfo.com
   glassdoor.com glassdoor.de indeed.com kununu.com stepstone.de monster.com trustpilot.com yelp.com tripadvisor.com g2.com capterra.com
   gelbeseiten.de northdata.de northdata.com pagesjaunes.fr paginegialle.it paginasamarillas.es
   google.com goo.gl g.page g.co maps.app.goo.gl sites.google.com docs.google.com drive.google.com forms.gle business.site
   linktr.ee beacons.ai about.me carrd.co bio.link taplink.cc campsite.bio
   bit.ly tinyurl.com ow.ly buff.ly rebrand.ly is.gd calendly.com cal.com typeform.com
   amazon.com amazon.de amazon.co.uk ebay.com ebay.de etsy.com alibaba.com apps.apple.com play.google.com
   notion.so notion.site canva.com dropbox.com wikipedia.org wikidata.org upwork.com fiverr.com malt.com malt.fr malt.de`.split(
    /\s+/,
  ),
);

/** Languages and devices in front of a network's name: `de.linkedin.com`, `m.facebook.com`. */
const NETWORKS =
  /^(?:[a-z0-9-]+\.)+(?:linkedin\.com|xing\.com|facebook\.com|instagram\.com|twitter\.com|x\.com|youtube\.com|tiktok\.com|pinterest\.com|crunchbase\.com|google\.com|wikipedia\.org|yelp\.com|glassdoor\.com|amazon\.com|ebay\.com)$/;

/** Whether a host (lower case, without www) is one on which many companies have a page. */
export function isSharedHost(host: string): boolean {
  return (
    SHARED.has(host) || NETWORKS.test(host) || /^(?:facebook|pinterest|instagram|glassdoor)\.[a-z.]{2,6}$/.test(host)
  );
}
