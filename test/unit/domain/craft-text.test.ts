import { expect } from 'chai';
import { factsIn, sourcedFacts } from '../../../pkg/domain/craft-facts.ts';
import { craftFromFacts } from '../../../pkg/domain/craft-text.ts';

const lead = {
  firstName: 'Ada',
  lastName: 'Berg',
  fullName: 'Ada Berg',
  title: 'CTO',
  headline: '',
  company: 'Acme',
  industry: 'Logistics',
  seniority: '',
  location: '',
  country: '',
  email: null,
  customFields: {},
};
const facts = { lead, sender: { firstName: 'Kim', fullName: 'Kim Fox' }, signal: { title: '' } };
const rules = { requireFacts: 1, maxLength: 8000, seed: 'run/node' };

describe('crafted texts of the built-in writer', () => {
  it('state facts on record and nothing else; the same input gives the same text', () => {
    const first = craftFromFacts('message', facts, rules);
    expect(first?.text).to.contain('CTO at Acme').and.contain('Ada');
    expect(first).to.deep.equal(craftFromFacts('message', facts, rules));
    expect(first?.facts.map((fact) => fact.source)).to.deep.equal(['lead:title', 'lead:company']);
    expect(factsIn(first?.text ?? '', sourcedFacts(facts))).to.deep.equal(first?.facts);
  });

  it('state as many facts as are required, or are not written', () => {
    expect(craftFromFacts('message', facts, { ...rules, requireFacts: 3 })?.facts).to.have.length(3);
    expect(craftFromFacts('message', facts, { ...rules, requireFacts: 4 })).to.equal(null);
  });

  it('are left shorter or not written where they do not fit, never cut', () => {
    const short = craftFromFacts('message', facts, { ...rules, maxLength: 60 });
    expect(short?.text.length).to.be.at.most(60);
    expect(short?.text).to.match(/\.$/);
    expect(craftFromFacts('message', facts, { ...rules, maxLength: 20 })).to.equal(null);
  });
});
