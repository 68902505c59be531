import { expect } from 'chai';
import { isFreeMailDomain } from '../../../pkg/domain/free-mail.ts';
import { employerDomain, readCompanyDomain } from '../../../pkg/domain/identity/domain.ts';
import {
  domainLabel,
  isPublicSuffix,
  registrableDomain,
  sameRegistrable,
} from '../../../pkg/domain/registrable-domain.ts';
import { personForms, samePerson } from '../../../pkg/domain/same-person.ts';

describe('the part of a domain that its owner registered', () => {
  const table: [string, string | null, string][] = [
    ['acme.com', 'acme.com', 'acme'],
    ['shop.eu.acme.co.uk', 'acme.co.uk', 'acme'],
    ['acme.com.br', 'acme.com.br', 'acme'],
    ['news.acme.co.jp', 'acme.co.jp', 'acme'],
    ['acme.github.io', 'acme.github.io', 'acme'],
    ['shop.acme.myshopify.com', 'acme.myshopify.com', 'acme'],
    ['acme.example', 'acme.example', 'acme'],
    ['münchen.de', 'münchen.de', 'münchen'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de', 'xn--mnchen-3ya'],
    ['co.uk', null, 'co.uk'],
    ['github.io', null, 'github.io'],
    ['de', null, 'de'],
    ['localhost', null, 'localhost'],
    ['192.168.0.1', null, '192.168.0.1'],
    ['', null, ''],
  ];
  for (const [host, registered, label] of table) {
    it(`of “${host}” is ${registered}`, () => {
      expect(registrableDomain(host)).to.equal(registered);
      expect(domainLabel(host)).to.equal(label);
    });
  }

  it('hosts of one owner are one, pages at a host of many are not', () => {
    expect(sameRegistrable('mail.acme.co.uk', 'www.acme.co.uk')).to.equal(true);
    expect(sameRegistrable('a.github.io', 'b.github.io')).to.equal(false);
    expect(sameRegistrable('acme.co.uk', 'borg.co.uk')).to.equal(false);
    expect(sameRegistrable('localhost', 'localhost')).to.equal(true);
    expect([isPublicSuffix('co.uk'), isPublicSuffix('github.io'), isPublicSuffix('acme.com')]).to.eql([
      true,
      true,
      false,
    ]);
  });

  it('a free mail provider is known below its name too, a company that only sounds like one is not', () => {
    for (const host of ['mail.gmail.com', 'uk.yahoo.com', 'mx.web.de'])
      expect(isFreeMailDomain(host), host).to.equal(true);
    for (const host of ['gmail.acme.com', 'gmail.com.acme.de']) expect(isFreeMailDomain(host), host).to.equal(false);
  });

  it('no company has a public suffix as its domain', () => {
    for (const cell of ['co.uk', 'https://www.com.br/', 'github.io']) {
      expect(readCompanyDomain(cell).value, cell).to.equal(null);
    }
    expect(employerDomain('jane@co.uk')).to.equal('');
    expect(employerDomain('jane@sales.acme.co.uk')).to.equal('sales.acme.co.uk');
  });

  it('namesakes at two hosts of one company are one person, at two pages of a shared host they are two', () => {
    const anna = (companyDomain: string): ReturnType<typeof personForms> =>
      personForms({ fullName: 'Anna Schmidt', company: '', companyDomain, email: '', profileUrl: '' });
    expect(samePerson(anna('eu.acme.co.uk'), anna('acme.co.uk'))).to.equal(true);
    expect(samePerson(anna('acme.myshopify.com'), anna('borg.myshopify.com'))).to.equal(false);
  });
});
