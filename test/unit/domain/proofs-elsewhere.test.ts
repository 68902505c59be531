import { expect } from 'chai';
import { type ProvenBy, proofsElsewhere } from '../../../pkg/domain/proofs-elsewhere.ts';

const at = (id: string): string => (id === '' ? '' : `https://www.linkedin.com/in/${id}`);
const record = (fullName: string, email: string | null, profile: string): ProvenBy => ({
  fullName,
  email,
  profileUrl: at(profile),
});
const anna = record('Anna Koch', 'anna@x.example', 'koch-1');

describe('what of a tenant’s record names its person elsewhere', () => {
  for (const [what, others, mail, profile] of [
    ['nobody elsewhere', [], true, true],
    ['the same pair', [record('A. K.', 'Anna+crm@x.example', 'koch-1')], true, true],
    ['the profile with another address and name', [record('Bob Lind', 'bob@x.example', 'koch-1')], true, false],
    ['the profile with another name alone', [record('Bob Lind', null, 'koch-1')], true, false],
    ['the profile with another address and the name', [record('Koch, Anna', 'a@home.example', 'koch-1')], true, true],
    ['the profile with another address and no name', [record('', 'a@home.example', 'koch-1')], true, false],
    ['the profile alone', [record('', null, 'koch-1')], true, true],
    ['the address with another profile', [record('Anna Koch', 'anna@x.example', 'koch-2')], false, true],
    ['the address with another name', [record('Bob Lind', 'anna@x.example', '')], true, true],
    [
      'each on somebody else',
      [record('Bob Lind', 'bob@x.example', 'koch-1'), record('Cleo Ott', 'anna@x.example', 'ott-1')],
      false,
      false,
    ],
  ] as const)
    it(`${what}: address ${mail}, profile ${profile}`, () =>
      expect(proofsElsewhere(anna, others)).to.deep.equal({ mail, profile }));

  it('a record with one proof alone names its person by it', () => {
    const others = [record('Bob Lind', 'bob@x.example', 'koch-1')];
    expect(proofsElsewhere({ ...anna, email: null }, others)).to.deep.equal({ mail: false, profile: true });
    expect(proofsElsewhere({ ...anna, profileUrl: '' }, others)).to.deep.equal({ mail: true, profile: false });
  });
});
