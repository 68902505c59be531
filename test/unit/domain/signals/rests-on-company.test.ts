import { expect } from 'chai';
import { restsOnCompany } from '../../../../pkg/domain/signals/rests-on-company.ts';

describe('domain: whether an address goes with the company that was left', () => {
  const old = { names: ['Old Works GmbH'], domains: ['oldworks.example'] };
  for (const [email, company, rests, why] of [
    ['jane@oldworks.example', old, true, 'at its domain'],
    ['jane@mail.oldworks.example', old, true, 'below its domain'],
    ['jane@old-works.io', { ...old, domains: [] }, true, 'a domain with its name'],
    ['jane@gmail.com', old, false, 'a mail provider'],
    ['jane@the-does.example', old, false, 'a domain of her own'],
    ['jane@the-does.example', { names: [], domains: ['', ''] }, false, 'nothing is known of the company'],
    ['jane@new-works.example', old, false, 'the new company by name'],
    [
      'jane@new-works.example',
      { names: ['New Works'], domains: ['new-works.example'] },
      false,
      'the lead moved before',
    ],
    ['jane@', old, false, 'no address'],
  ] as const) {
    it(`${email}: ${why}`, () => {
      expect(restsOnCompany(email, company, 'New Works AG')).to.equal(rests);
    });
  }
});
