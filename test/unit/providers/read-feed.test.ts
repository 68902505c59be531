import { expect } from 'chai';
import { readFeed } from '../../../pkg/providers/site/read-feed.ts';
import { rss } from '../../fixtures/signals/hostile-source.ts';

const AT = Date.UTC(2026, 2, 2, 10);
const ITEM = {
  id: '1',
  title: 'Acme raises',
  text: 'Acme & co\nsaid so',
  url: 'https://acme.example/1',
  publishedAt: AT,
};

describe('feeds', () => {
  const same: Record<string, string> = {
    'RSS 2.0': `<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><item><guid>1</guid><title>Acme raises</title>
      <link>https://acme.example/1</link><description>&lt;p&gt;Acme &amp;amp; co&lt;/p&gt;said so</description><pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate></item></channel></rss>`,
    RDF: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="x"/><item rdf:about="1"><title>Acme raises</title><link>https://acme.example/1</link><description><![CDATA[<p>Acme &amp; co</p>said so]]></description><dc:date>2026-03-02T10:00:00Z</dc:date></item></rdf:RDF>`,
    Atom: `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title type="text">Acme raises</title><link rel="self" href="https://acme.example/self"/>
      <link href="https://acme.example/1"/><content type="html">&lt;p&gt;Acme &amp;amp; co&lt;/p&gt;said so</content><published>2026-03-02T10:00:00Z</published></entry></feed>`,
    'JSON Feed': JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'T',
      items: [
        {
          id: 1,
          title: 'Acme raises',
          url: 'https://acme.example/1',
          content_html: '<p>Acme &amp; co</p>said so',
          date_published: '2026-03-02T11:00:00+01:00',
        },
        { id: {} },
      ],
    }),
  };
  for (const [kind, text] of Object.entries(same))
    it(`${kind} says the same`, () => {
      expect(readFeed(text)).to.deep.equal([ITEM]);
      expect(readFeed(`\uFEFF\n${text}`)).to.deep.equal([ITEM]);
    });

  it('text with markup of its own is read in its order', () => {
    const atom = `<feed><entry><id>1</id><content type="xhtml"><div>Acme <b>raises</b> $5M <i>today</i></div></content></entry></feed>`;
    expect(readFeed(atom)[0]?.text).to.equal('Acme raises $5M today');
  });

  it('an address that no browser opens, and a date that is none, are none', () => {
    const [item] = readFeed(
      rss([{ title: 'x', url: 'javascript:alert(1)' }]).replace('</item>', '<pubDate>soon</pubDate></item>'),
    );
    expect(item).to.include({ url: '', publishedAt: null });
  });

  it('entities of a document type are expanded by nobody, and nothing is fetched for them', () => {
    const doctype =
      '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>';
    const [item] = readFeed(`${doctype}<rss><channel><item><title>&b;&x;</title></item></channel></rss>`);
    expect(item?.title).to.equal('&b;&x;');
  });

  it('what is no feed is refused, and a long one is cut', () => {
    for (const text of ['', 'hello', '<html><body></body></html>', '{"items": []}', '{', '<rss><channel>'])
      expect(() => readFeed(text), text).to.throw();
    expect(readFeed(rss(Array.from({ length: 2_000 }, (_, n) => ({ title: `n${n}` }))))).to.have.length(300);
  });
});
