import { expect } from 'chai';
import { type AccountFacts, healthFactors, healthScore } from '../../../pkg/domain/account-health.ts';

const FRESH: AccountFacts = {
  requests: 0,
  accepted: 0,
  pending: 0,
  messaged: 0,
  replied: 0,
  busiestDay: 0,
  usualDay: 0,
  sessionsLost: 0,
  limitSignals: 0,
  restrictions: 0,
  connections: 0,
};

describe('health of an account', () => {
  const rows: { why: string; facts: Partial<AccountFacts>; score: number }[] = [
    { why: 'nothing known is healthy', facts: {}, score: 100 },
    { why: 'nineteen requests say nothing', facts: { requests: 19 }, score: 100 },
    { why: 'one of five accepted is healthy', facts: { requests: 50, accepted: 10 }, score: 100 },
    { why: 'hardly any accepted', facts: { requests: 50, accepted: 1 }, score: 20 },
    { why: 'half way between', facts: { requests: 80, accepted: 10 }, score: 60 },
    { why: '400 pending requests are still fine', facts: { pending: 400 }, score: 100 },
    { why: '800 are not', facts: { pending: 800 }, score: 60 },
    { why: 'nobody answers', facts: { messaged: 20 }, score: 50 },
    { why: 'five in a hundred answer', facts: { messaged: 100, replied: 5 }, score: 100 },
    { why: 'a burst on one day', facts: { busiestDay: 45, usualDay: 10 }, score: 80 },
    { why: 'a small burst is none', facts: { busiestDay: 19, usualDay: 1 }, score: 100 },
    { why: 'two broken sessions', facts: { sessionsLost: 2 }, score: 60 },
    { why: 'a limit signal', facts: { limitSignals: 1 }, score: 75 },
    { why: 'a restriction weighs more than signals', facts: { limitSignals: 1, restrictions: 1 }, score: 25 },
    { why: 'the worst decides, not the mean', facts: { limitSignals: 1, pending: 1_200 }, score: 20 },
  ];
  for (const { why, facts, score } of rows) {
    it(`${why}: ${score}`, () => {
      const factors = healthFactors({ ...FRESH, ...facts });
      expect(healthScore(factors)).to.equal(score);
      for (const factor of factors.filter((one) => one.score < 100))
        expect(factor.advice, factor.name).to.be.a('string');
    });
  }
});
