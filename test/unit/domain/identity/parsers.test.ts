import { expect } from 'chai';
import fc from 'fast-check';
import { domainOf, readCompanyDomain } from '../../../../pkg/domain/identity/domain.ts';
import { mailAddress, readMail } from '../../../../pkg/domain/identity/mail.ts';
import { readPhone } from '../../../../pkg/domain/identity/phone.ts';
import { addressOfProfile, profileOf, readProfile } from '../../../../pkg/domain/identity/profile.ts';
import { readTimezone } from '../../../../pkg/domain/identity/time-zone.ts';

const RUNS = { numRuns: 2_000 };
const pieces = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'https://',
        'www.',
        'linkedin.com',
        'xing.com',
        '/in/',
        '/pub/',
        '@',
        '.',
        ',',
        ';',
        ' ',
        '%2F',
        '%',
        'jane-doe',
        'x.example',
        '\u200e',
        "'",
        '<',
        '>',
        '?',
        '#',
        ':',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));

describe('parsers of identities', () => {
  it('property: never throw, and read what they gave as the same', () => {
    fc.assert(
      fc.property(pieces, (text) => {
        const mail = readMail(text).value;
        if (mail) expect(readMail(mail.address).value?.address).to.equal(mail.address);
        const profile = readProfile(text).value;
        if (profile) expect(readProfile(addressOfProfile(profile)).value).to.deep.equal(profile);
        const domain = readCompanyDomain(text).value;
        if (domain) expect(domainOf(domain)).to.equal(domain);
        const phone = readPhone(text).value;
        if (phone) expect(readPhone(phone).value).to.equal(phone);
        const zone = readTimezone(text).value;
        if (zone) expect(readTimezone(zone).value).to.equal(zone);
      }),
      RUNS,
    );
  });

  it('property: no address of another host is a profile', () => {
    fc.assert(
      fc.property(fc.domain(), fc.constantFrom('in', 'pub', 'profile'), (host, kind) => {
        if (host.endsWith('linkedin.com')) return;
        expect(readProfile(`https://${host}/${kind}/jane-doe`).value).to.equal(null);
        expect(readProfile(`https://www.linkedin.com.${host}/in/jane-doe`).value).to.equal(null);
        expect(readProfile(`https://www.linkedin.com@${host}/in/jane-doe`).value).to.equal(null);
        expect(readProfile(`https://${host}/www.linkedin.com/in/jane-doe`).value).to.equal(null);
      }),
      RUNS,
    );
  });

  for (const unseen of ['\0', '\u0001', '\u007f', '\u200b', '\u2060', '\ufeff', '\u202e', '\u2066', '\u2069', '\u00ad'])
    it(`the sign U+${unseen.codePointAt(0)?.toString(16)} that nobody sees makes no other person, plain or percent-encoded`, () => {
      const encoded = encodeURIComponent(unseen);
      for (const sign of [unseen, encoded, encoded.toLowerCase()]) {
        for (const id of [`jane${sign}-doe`, `${sign}jane-doe`, `jane-doe${sign}`]) {
          expect(readProfile(`https://www.linkedin.com/in/${id}`).value?.id, id).to.equal('jane-doe');
          expect(profileOf(id)?.id, id).to.equal('jane-doe');
        }
        for (const text of [`mailto:ja${sign}ne@x.example`, `mailto:jane@x${sign}.example`])
          expect(mailAddress(text), text).to.equal('jane@x.example');
      }
      expect(mailAddress(`ja${unseen}ne@x.example`)).to.equal('jane@x.example');
      expect(mailAddress(`ja${encoded}ne@x.example`)).to.equal(null);
    });
});
