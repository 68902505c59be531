import { expect } from 'chai';
import fc from 'fast-check';
import { EXCLUSION_KINDS, type ExclusionKind, exclusionValue } from '../../../pkg/domain/exclusion-value.ts';

const form = (kind: ExclusionKind, text: string): string => {
  const read = exclusionValue(kind, text);
  return 'value' in read ? read.value : `refused: ${read.refused}`;
};

describe('the form of an exclusion', () => {
  const same: [ExclusionKind, string, string[]][] = [
    ['email', 'janedoe@gmail.com', ['Jane.Doe+x@googlemail.com', ' JANEDOE@gmail.com ', 'jane.doe@GMAIL.com']],
    ['email', 'jane.doe@acme.com', ['Jane.Doe+crm@ACME.com', 'ｊane.doe@acme.com', 'Jane <jane.doe@acme.com>']],
    ['email', 'anna@acme.com', ['anna@ａｃｍｅ.com', 'ａｎｎａ＠acme.com']],
    ['email', 'a@xn--mller-kva.example', ['a@müller.example', 'A@MÜLLER.example', 'a@xn--mller-kva.example']],
    ['domain', 'acme.com', ['ACME.com', 'www.acme.com', 'https://www.acme.com/about?x=1', ' acme.com. ']],
    ['domain', 'shop.acme.co.uk', ['shop.acme.co.uk', 'http://shop.acme.co.uk:8080/']],
    ['domain', 'acme.github.io', ['acme.github.io']],
    ['profile_url', 'jane-doe', ['https://de.linkedin.com/in/Jane-Doe/?x=1', 'linkedin.com/in/jane%2Ddoe']],
    ['company', 'muller and sohne', ['Müller & Söhne GmbH', 'MULLER AND SOHNE S.A.', 'Müller & Söhne, Ltd.']],
    ['name_company', 'ada king@acme', ['Ádá King @ Acme Inc.', 'ADA  KING@ACME AB']],
    [
      'name_company',
      'jane doe@acme',
      ['Dr. Jane Doe @ Acme GmbH & Co. KG', 'Doe, Jane @ ACME', 'Jane Doe, PhD @ Acme d.o.o.'],
    ],
    ['name_company', 'jane obrien@acme', ["Jane O'Brien @ Acme", 'Jane OBrien @ Acme', 'Jane O’Brien @ Acme']],
    ['name_company', 'lukasz strauss@acme', ['Łukasz Strauß @ Acme', 'Lukasz Strauss @ Acme']],
    [
      'company',
      'acme',
      `GmbH & Co. KG|Sp. z o.o.|S.L.|d.o.o.|s.r.o.|A/S|Gesellschaft mbH|OHG|Ltda|Lda|Pte. Ltd.|S.A. de C.V.|e.V.|Pvt Ltd`
        .split('|')
        .map((legal) => `Acme ${legal}`),
    ],
    ['keyword', 'co founder', ['Co-Founder', 'CO FOUNDER']],
    ['keyword', 'c plus plus', ['C++', 'c plus plus']],
    ['keyword', 'company secretary', ['Company Secretary']],
    ['keyword', 'head of hr', ['Head of HR', ' head-of-hr ']],
  ];
  for (const [kind, value, texts] of same)
    it(`X1: ${kind} ${value} is written in ${texts.length} ways`, () => {
      for (const text of texts) expect(form(kind, text), text).to.equal(value);
    });

  const refused: [ExclusionKind, string, RegExp][] = [
    ['domain', 'co.uk', /public suffix.*acme\.co\.uk/],
    ['domain', 'com', /public suffix/],
    ['domain', '.com', /public suffix/],
    ['domain', 'github.io', /public suffix/],
    ['domain', 'gmail.com', /mail provider/],
    ['domain', 'mail.yahoo.com', /mail provider/],
    ['domain', 'jane@acme.com', /kind email/],
    ['domain', 'two words', /is no domain/],
    ['email', 'acme.com', /no mail address/],
    ['email', 'a@x.example, b@x.example', /no mail address/],
    ['profile_url', 'https://www.linkedin.com/company/acme', /no profile address/],
    ['name_company', 'Jane Doe', /Jane Doe @ Acme/],
    ['name_company', '@ Acme', /Jane Doe @ Acme/],
    ['keyword', '!!!', /no letters/],
    ['company', '…', /no name/],
  ];
  for (const [kind, text, why] of refused)
    it(`X2: ${kind} "${text}" excludes nobody, and says why`, () => {
      expect(form(kind, text)).to.match(/^refused: /);
      expect(form(kind, text)).to.match(why);
    });

  it('property: a form is its own form, whatever was written', () => {
    const written = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.emailAddress(),
      fc.domain(),
      fc.webUrl(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...EXCLUSION_KINDS), written, (kind, text) => {
        const first = exclusionValue(kind, text);
        if (!('value' in first)) return;
        const again = kind === 'profile_url' ? `https://www.linkedin.com/in/${first.value}` : first.value;
        expect(form(kind, again)).to.equal(first.value);
      }),
      { numRuns: 2_000, seed: 11 },
    );
  });
});
