import { expect } from 'chai';
import { judgeSplit } from '../../../pkg/domain/split-conclusion.ts';
import { armPosteriors } from '../../../pkg/domain/split-posterior.ts';
import { type SplitConfig, type SplitControl, splitSettings } from '../../../pkg/domain/split-settings.ts';
import { thompsonWeights } from '../../../pkg/domain/split-weights.ts';
import { type SimulatedCampaign, simulate } from '../../fixtures/domain/split-simulation.ts';

const arm = (branch: string, matured: number, successes: number) => ({ branch, matured, successes });

describe('split posterior', () => {
  it('is Beta(1,1) before any outcome: everything is possible, nobody is ahead', () => {
    const [a, b] = armPosteriors([arm('a', 0, 0), arm('b', 0, 0)]);
    expect(a?.mean).to.equal(0.5);
    expect(a?.interval95[0]).to.be.closeTo(0.025, 0.005);
    expect(a?.interval95[1]).to.be.closeTo(0.975, 0.005);
    expect(a?.chanceBest).to.be.closeTo(0.5, 1e-6);
    expect((a?.chanceBest ?? 0) + (b?.chanceBest ?? 0)).to.be.closeTo(1, 1e-3);
    // E[max] of two uniform numbers is 2/3, of one 1/2.
    expect(a?.expectedLoss).to.be.closeTo(1 / 6, 0.005);
  });

  it('agrees with known values of Beta(21, 81)', () => {
    const [a] = armPosteriors([arm('a', 100, 20), arm('b', 100, 20)]);
    expect(a?.mean).to.be.closeTo(21 / 102, 1e-9);
    // Quantiles of Beta(21, 81): 0.1335 and 0.2893 (R: qbeta(c(.025, .975), 21, 81)).
    expect(a?.interval95[0]).to.be.closeTo(0.1335, 0.003);
    expect(a?.interval95[1]).to.be.closeTo(0.2893, 0.003);
  });

  it('what is known of an arm of many cases is the same beside one of few or none', () => {
    const many = arm('a', 50_000, 2_500);
    // Quantiles of Beta(2501, 47501), by the normal distribution: 0.05002 ± 1.96 · 0.000975.
    for (const few of [many, arm('b', 500, 25), arm('b', 50, 3), arm('b', 0, 0)]) {
      const [a] = armPosteriors([many, few]);
      expect(a?.interval95[0], `beside ${few.matured}`).to.be.closeTo(0.04811, 0.0001);
      expect(a?.interval95[1], `beside ${few.matured}`).to.be.closeTo(0.05193, 0.0001);
    }
    // Of two arms of many cases the better one is found beside a new one, too: 5 % and 6 % of 20,000 are far apart.
    const [worse, better] = armPosteriors([arm('a', 20_000, 1_000), arm('b', 20_000, 1_200), arm('c', 0, 0)]);
    expect((worse?.chanceBest ?? 1) / (better?.chanceBest ?? 1)).to.be.below(0.001);
    // The rarest outcomes: Beta(1, 10001) has 97.5 % below 3.689 / 10001.
    const [rare] = armPosteriors([arm('a', 10_000, 0), arm('b', 60, 0)]);
    expect(rare?.interval95[1]).to.be.closeTo(0.000369, 0.00002);
  });

  it('is a number for all outcomes, none and all of them too', () => {
    for (let n = 0; n <= 40; n++) {
      for (let m = 0; m <= 40; m++) {
        for (const [mine, theirs] of [
          [0, 0],
          [0, m],
          [n, 0],
          [n, m],
        ] as const) {
          for (const one of armPosteriors([arm('a', n, mine), arm('b', m, theirs)])) {
            const { mean, interval95, chanceBest, expectedLoss } = one;
            for (const value of [mean, ...interval95, chanceBest, expectedLoss])
              expect(value, `${mine} of ${n}, ${theirs} of ${m}`).to.be.within(0, 1);
          }
        }
      }
    }
  });

  it('all chances add up to 1, whatever the outcomes', () => {
    for (const arms of [
      [arm('a', 10_000, 1_000), arm('b', 3, 0)],
      [arm('a', 50, 50), arm('b', 50, 0), arm('c', 0, 0)],
      Array.from({ length: 8 }, (_, at) => arm(`n${at}`, 40 * at, 5 * at)),
    ]) {
      const sum = armPosteriors(arms).reduce((all, one) => all + one.chanceBest, 0);
      expect(sum).to.be.closeTo(1, 0.02);
    }
  });
});

describe('split shares', () => {
  it('follow the chance to be best, keep the floor, and add up to 1', () => {
    const shares = thompsonWeights(armPosteriors([arm('a', 200, 60), arm('b', 200, 20), arm('c', 200, 22)]), 0.05);
    expect(shares['a']).to.be.closeTo(0.9, 0.01);
    expect(Math.min(...Object.values(shares))).to.be.at.least(0.05);
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 1e-9);
  });

  it('a floor that is more than there is gives equal shares', () => {
    const shares = thompsonWeights(armPosteriors([arm('a', 99, 90), arm('b', 99, 1), arm('c', 99, 1)]), 0.5);
    for (const share of Object.values(shares)) expect(share).to.be.closeTo(1 / 3, 1e-9);
  });
});

describe('split verdict', () => {
  const TABLE: [why: string, arms: ReturnType<typeof arm>[], callable: boolean, told: RegExp][] = [
    [
      'below the minimum nothing is called, however clear it looks',
      [arm('a', 49, 40), arm('b', 60, 1)],
      false,
      /^Too early/,
    ],
    ['equal arms are not called', [arm('a', 500, 100), arm('b', 500, 100)], false, /may be luck/],
    ['a small lead is not called', [arm('a', 500, 115), arm('b', 500, 100)], false, /may be luck/],
    ['a clear lead is', [arm('a', 500, 150), arm('b', 500, 75)], true, /"a" may be called/],
    [
      'two equal leaders are not, though both beat the third',
      [arm('a', 500, 150), arm('b', 500, 149), arm('c', 500, 50)],
      false,
      /may be luck/,
    ],
  ];
  for (const [why, arms, callable, told] of TABLE) {
    it(why, () => {
      const verdict = judgeSplit(arms, 50);
      expect(verdict.callable).to.equal(callable);
      expect(verdict.recommended).to.equal(callable ? 'a' : null);
      expect(verdict.explanation).to.match(told);
    });
  }
});

describe('split settings', () => {
  const config: SplitConfig = {
    branches: [
      { name: 'a', weight: 3 },
      { name: 'b', weight: 1 },
    ],
    mode: 'fixed',
    metric: 'replied',
    minExposuresPerArm: 50,
    minArmShare: 0.05,
    maturityHours: 168,
  };
  const control = (more: Partial<SplitControl>): SplitControl => ({
    mode: null,
    metric: null,
    weights: null,
    minExposures: null,
    minArmShare: null,
    maturityHours: null,
    promoted: null,
    learnt: null,
    learntAt: null,
    since: 0,
    ...more,
  });
  const TABLE: [why: string, control: SplitControl | null, weights: Record<string, number>][] = [
    ["untouched: the node's weights as shares", null, { a: 0.75, b: 0.25 }],
    [
      'fixed: shares that a person set',
      control({ weights: { a: 0.5, b: 0.5 }, learnt: { a: 1, b: 0 } }),
      { a: 0.5, b: 0.5 },
    ],
    ['bandit: learnt shares', control({ mode: 'bandit', learnt: { a: 0.1, b: 0.9 } }), { a: 0.1, b: 0.9 }],
    ['paused: learnt shares stay', control({ mode: 'paused', learnt: { a: 0.1, b: 0.9 } }), { a: 0.1, b: 0.9 }],
    ['promoted: everybody', control({ mode: 'fixed', promoted: 'b', weights: { a: 1, b: 0 } }), { a: 0, b: 1 }],
    ['an edit took the promoted branch away', control({ promoted: 'gone' }), { a: 0.75, b: 0.25 }],
    ['an edit changed the branches', control({ mode: 'bandit', learnt: { a: 0.1, old: 0.9 } }), { a: 0.75, b: 0.25 }],
  ];
  for (const [why, given, weights] of TABLE) {
    it(why, () => expect(splitSettings(config, given).weights).to.deep.equal(weights));
  }
});

describe('split simulation: 1,000 campaigns with delayed answers, looked at every day', function () {
  this.timeout(120_000);
  const campaign: SimulatedCampaign = {
    rates: {},
    leadsPerDay: 60,
    days: 60,
    maturityDays: 7,
    meanDelayDays: 2,
    minExposuresPerArm: 50,
    minArmShare: 0.05,
  };
  const SEEDS = Array.from({ length: 1_000 }, (_, seed) => seed);
  const calls = (rates: Record<string, number>): string[] =>
    SEEDS.flatMap((seed) => simulate({ ...campaign, rates }, seed)?.called ?? []);

  it('equal arms: at most 5 % of the campaigns call a winner at any look', () => {
    const share = calls({ a: 0.2, b: 0.2 }).length / SEEDS.length;
    console.log(`      false calls on equal arms: ${(share * 100).toFixed(1)} %`);
    expect(share).to.be.at.most(0.05);
  });

  it('a lift of 1.5: at least 80 % call the better arm', () => {
    const called = calls({ a: 0.2, b: 0.3 });
    const share = called.filter((name) => name === 'b').length / SEEDS.length;
    console.log(
      `      right calls at 1.5 times lift: ${(share * 100).toFixed(1)} %, wrong: ${called.length - share * SEEDS.length}`,
    );
    expect(share).to.be.at.least(0.8);
  });
});
