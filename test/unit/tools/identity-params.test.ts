import { expect } from 'chai';
import { readMail } from '../../../pkg/domain/identity/mail.ts';
import { readProfile } from '../../../pkg/domain/identity/profile.ts';
import { mailParam, profileParam } from '../../../pkg/tools/identity-params.ts';

/** What people paste for an address, and whose it is; null: nobody's. */
const MAILS: readonly (readonly [string, string | null])[] = [
  ['yan@x.example,', 'yan@x.example'],
  ["'ida@x.example'", 'ida@x.example'],
  ['uli@x.example;', 'uli@x.example'],
  ['\u200eada@x.example\u200e', 'ada@x.example'],
  ['Ida Roth <Ida@X.example>', 'ida@x.example'],
  ['ada@@x', null],
  ['a@x.example; b@x.example', null],
  ['', null],
];

const PROFILES: readonly (readonly [string, string | null])[] = [
  ['https://www.linkedin.com/in/jane-doe)', 'jane-doe'],
  ['https://www.linkedin.com/in/jane-doe,', 'jane-doe'],
  ['linkedin.com/in/Jane-Doe/', 'jane-doe'],
  ['https://www.linkedin.com/profile/view?id=77', null],
  ['https://www.xing.com/profile/Sara_Zehn', null],
  ['LinkedIn', null],
  ['FALSE', null],
];

describe('identities that tools are given', () => {
  for (const [text, address] of MAILS)
    it(`read a mail address as an import does: ${JSON.stringify(text)}`, () => {
      expect(mailParam.safeParse(text).data ?? null).to.equal(address);
      const cell = readMail(text).value;
      if (address !== null) expect(cell?.address).to.equal(address);
    });
  for (const [text, id] of PROFILES)
    it(`read a profile as an import does: ${text}`, () => {
      const read = profileParam.safeParse(text).data ?? null;
      expect(read).to.equal(id === null ? null : `https://www.linkedin.com/in/${id}`);
      expect(readProfile(text).value?.id ?? null).to.equal(id);
    });
});
