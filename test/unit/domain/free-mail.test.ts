import { expect } from 'chai';
import { isFreeMailDomain } from '../../../pkg/domain/free-mail.ts';
import { personForms, samePerson } from '../../../pkg/domain/same-person.ts';

describe('free mail providers', () => {
  it('are known in every country: who has an address there is nobody’s colleague for it', () => {
    const free =
      `gmail.com hotmail.fr hotmail.co.uk hotmail.es outlook.de outlook.fr live.nl live.com.mx yahoo.es yahoo.it yahoo.com.br
      ymail.com gmx.com gmx.fr web.de posteo.de mailbox.org arcor.de online.de magenta.de laposte.net sfr.fr neuf.fr bbox.fr
      bluewin.ch hispeed.ch chello.at aon.at telefonica.net terra.es virgilio.it tiscali.it alice.it tim.it ziggo.nl kpnmail.nl
      planet.nl telenet.be skynet.be wp.pl o2.pl onet.pl interia.pl seznam.cz centrum.cz btinternet.com sky.com virginmedia.com
      comcast.net att.net verizon.net rogers.com shaw.ca bigpond.com naver.com 126.com tutanota.com pm.me hey.com mail.com yandex.com
      uol.com.br bol.com.br icloud.com rocketmail.com`.split(/\s+/);
    for (const domain of free) expect(isFreeMailDomain(domain), domain).to.equal(true);
    for (const domain of [
      'acme.com',
      'live-music.de',
      'yahoo-reise.de',
      'gmx-partner.de',
      'outlookbau.de',
      'live.acme.com',
      'hotmail.acme.de',
    ]) {
      expect(isFreeMailDomain(domain), domain).to.equal(false);
    }
  });

  it('namesakes with addresses of one provider are two persons, unless their employer says otherwise', () => {
    const anna = (company: string, email: string): ReturnType<typeof personForms> =>
      personForms({ fullName: 'Anna Schmidt', company, companyDomain: '', email, profileUrl: '' });
    expect(samePerson(anna('Acme', 'a.schmidt@hotmail.fr'), anna('Borg', ''))).to.equal(false);
    expect(samePerson(anna('', 'a.schmidt@hotmail.fr'), anna('Hotmail', ''))).to.equal(false);
  });
});
