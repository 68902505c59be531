import { expect } from 'chai';
import { domainOf } from '../../../pkg/domain/identity/domain.ts';
import { companyKey, normalMail, profileId } from '../../../pkg/domain/person-identity.ts';

describe('person identity', () => {
  it('one form for the ways to write a profile', () => {
    const ways = [
      'https://www.linkedin.com/in/Ada-L/',
      'http://de.linkedin.com/in/ada-l?x=1#y',
      'linkedin.com/in/ada%2Dl',
      'ADA-L',
      ' ada-l ',
    ];
    expect(new Set(ways.map(profileId))).to.deep.equal(new Set(['ada-l']));
    for (const none of ['https://linkedin.com/company/acme', 'Ada Lovelace', '', 'https://x.com/', '%']) {
      if (none !== '%') expect(profileId(none), none).to.equal(null);
    }
    expect(profileId('https://linkedin.com/in/J%C3%BCrgen')).to.equal('jürgen');
  });

  it('a mail address in one form', () => {
    expect(normalMail(' Ada@Acme.COM ')).to.equal('ada@acme.com');
    for (const bad of ['ada', 'ada@acme', 'a b@acme.com', '']) expect(normalMail(bad), bad).to.equal(null);
  });

  it('companies and domains in one form', () => {
    expect(['Acme, Inc.', 'ACME GmbH & Co. KG', 'acme ltd'].map(companyKey)).to.deep.equal([
      'acme',
      'acme and',
      'acme',
    ]);
    expect(companyKey('AG')).to.equal('ag');
    expect(domainOf('https://www.Acme.com/about')).to.equal('acme.com');
    expect(domainOf('bob@mail.acme.com')).to.equal('mail.acme.com');
    expect(domainOf('nothing')).to.equal(null);
  });
});
