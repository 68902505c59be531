import { registrableDomain } from './registrable-domain.ts';

/** Providers whose mail domain says nothing about the employer; those with a domain per country are below. */
const FREE_MAIL_DOMAINS = new Set(
  `gmail.com googlemail.com ymail.com rocketmail.com icloud.com me.com mac.com aol.com aol.de aol.fr aol.co.uk proton.me protonmail.com pm.me
   tutanota.com tutanota.de tuta.io hey.com mail.com email.com fastmail.com fastmail.fm zoho.com yandex.ru yandex.com ya.ru mail.ru bk.ru inbox.ru
   list.ru rambler.ru qq.com 163.com 126.com yeah.net sina.com sina.cn naver.com hanmail.net daum.net rediffmail.com
   web.de t-online.de magenta.de freenet.de arcor.de online.de 1und1.de posteo.de mailbox.org aon.at chello.at bluewin.ch hispeed.ch sunrise.ch
   orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr numericable.fr club-internet.fr telenet.be skynet.be proximus.be
   ziggo.nl kpnmail.nl planet.nl home.nl hetnet.nl xs4all.nl upcmail.nl casema.nl telefonica.net terra.es movistar.es
   libero.it virgilio.it tiscali.it alice.it tim.it tin.it inwind.it iol.it fastwebnet.it poste.it sapo.pt
   wp.pl o2.pl onet.pl op.pl interia.pl gazeta.pl tlen.pl seznam.cz centrum.cz email.cz azet.sk freemail.hu citromail.hu abv.bg ukr.net
   btinternet.com sky.com virginmedia.com ntlworld.com talktalk.net blueyonder.co.uk comcast.net att.net sbcglobal.net bellsouth.net verizon.net
   cox.net charter.net rogers.com shaw.ca sympatico.ca telus.net bigpond.com bigpond.net.au optusnet.com.au xtra.co.nz uol.com.br bol.com.br
   terra.com.br ig.com.br telia.com online.no`.split(/\s+/),
);
/** `hotmail.fr`, `yahoo.com.br`: a provider with a domain in each country. */
const IN_MANY_COUNTRIES = /^(?:hotmail|outlook|live|msn|yahoo|gmx)\.(?:com|net|[a-z]{2}|com?\.[a-z]{2})$/;

/** Whether a mail domain (lower case) or one below it is a free mail provider's, so that its users are no colleagues. */
export function isFreeMailDomain(domain: string): boolean {
  const registered = registrableDomain(domain) ?? domain;
  return FREE_MAIL_DOMAINS.has(registered) || IN_MANY_COUNTRIES.test(registered);
}
