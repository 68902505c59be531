import { expect } from 'chai';
import { type Identifiable, identitiesOf, identitiesToAsk } from '../../../pkg/domain/erased-identity.ts';

const named = (fullName: string, company: string): Identifiable => ({ fullName, company, email: null, profileUrl: '' });
const known = (kept: Identifiable, asked: Identifiable): boolean =>
  identitiesToAsk(asked).some((one) => identitiesOf(kept).includes(one));

describe('an erased person is known again', () => {
  const spellings: [string, string][] = [
    ['Jörg Müller', 'Joerg Mueller'],
    ['Jörg Müller', 'Jorg Muller'],
    ['Strauß, Dr. Anna', 'Anna Strauss'],
    ['Łukasz Nowak', 'Lukasz Nowak'],
    ['Søren Kjær', 'Soren Kjaer'],
    ['Søren Berg', 'Soeren Berg'],
    ["Jane O'Brien", 'Jane OBrien'],
    ['Jane Doe, PhD', 'DOE, JANE'],
  ];
  for (const [one, other] of spellings)
    it(`by name and company, as ${one} or ${other}`, () => {
      expect(known(named(one, 'Acme GmbH & Co. KG'), named(other, 'ACME')), 'kept the first').to.equal(true);
      expect(known(named(other, 'ACME'), named(one, 'Acme GmbH & Co. KG')), 'kept the second').to.equal(true);
    });

  it('and another name, or another company, is somebody else', () => {
    expect(known(named('Jane Doe', 'Acme'), named('Jane Roe', 'Acme'))).to.equal(false);
    expect(known(named('Jane Doe', 'Acme'), named('Jane Doe', 'Acme Tools'))).to.equal(false);
  });

  it('by address, in whichever letters its host is, also as it was kept before', () => {
    const at = (email: string): Identifiable => ({ ...named('', ''), email });
    expect(identitiesOf(at('Anna@München.example'))).to.deep.equal(['mail:anna@xn--mnchen-3ya.example']);
    expect(identitiesToAsk(at('anna@xn--mnchen-3ya.example'))).to.deep.equal([
      'mail:anna@xn--mnchen-3ya.example',
      'mail:anna@münchen.example',
    ]);
  });
});
