import { expect } from 'chai';
import type { CompiledNode } from '../../../pkg/domain/graph.ts';
import { BASICS, DETAILS, FactNeeds, NOTHING } from '../../../pkg/engine/walk/fact-needs.ts';

const node = (nodeId: string): CompiledNode => ({
  nodeId,
  nodeType: 'flow:wait',
  label: nodeId,
  index: 0,
  config: {},
  next: new Map(),
});

describe('what runs will need of their person', () => {
  const [here, there] = [node('here'), node('there')];
  let needs: FactNeeds;
  beforeEach(() => {
    needs = new FactNeeds();
  });

  it('is nothing where nobody is known to have needed anything', () => {
    expect(needs.likely(here, false)).to.equal(NOTHING);
  });

  it('is what the last one needed that stood there, with a send or without', () => {
    needs.learn(here, false, NOTHING, DETAILS);
    needs.learn(here, true, NOTHING, BASICS);
    expect([needs.likely(here, false), needs.likely(here, true)]).to.deep.equal([DETAILS, BASICS]);
    expect(needs.likely(there, false)).to.equal(NOTHING);
  });

  it('rises at once and falls to nothing when one needed nothing', () => {
    needs.learn(here, false, NOTHING, BASICS);
    needs.learn(here, false, BASICS, DETAILS);
    expect(needs.likely(here, false)).to.equal(DETAILS);
    needs.learn(here, false, NOTHING, NOTHING);
    expect(needs.likely(here, false)).to.equal(NOTHING);
  });

  it('is learnt anew after many: a guess does not show that less would do', () => {
    needs.learn(here, false, NOTHING, DETAILS);
    const guesses = Array.from({ length: 20_000 }, () => {
      const guess = needs.likely(here, false);
      if (guess === DETAILS) needs.learn(here, false, guess, DETAILS);
      return guess;
    });
    expect(guesses.indexOf(NOTHING)).to.be.within(1_000, 19_999);
  });
});
