import { expect } from 'chai';
import { type AccountPace, gapAfter, MEAN_GAP_MS, type PaceSettings, paceClassOf } from '../../../pkg/domain/pacing.ts';

const pace = (accountId: string, settings: PaceSettings | null = null, minGapMs = 0): AccountPace => ({
  accountId,
  settings,
  minGapMs,
});
const gapsOf = (of: AccountPace, paceClass: 'heavy' | 'light', count = 4000): number[] =>
  Array.from({ length: count }, (_unused, index) => gapAfter(of, 1_767_600_000_000 + index * 1000, paceClass));

describe('pacing', () => {
  it('gaps stay in their bounds, vary, and have the mean that forecasts use', () => {
    for (const [paceClass, min, max] of [
      ['heavy', 120_000, 420_000],
      ['light', 20_000, 90_000],
    ] as const) {
      const gaps = gapsOf(pace('a'), paceClass);
      expect(Math.min(...gaps)).to.be.at.least(min);
      expect(Math.max(...gaps)).to.be.at.most(max);
      expect(new Set(gaps).size).to.be.greaterThan(3000);
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      expect(Math.abs(mean / MEAN_GAP_MS[paceClass] - 1)).to.be.below(0.05);
    }
  });

  it("an account's own bounds count, light kinds follow in proportion, and a mailbox keeps its least gap", () => {
    const slow = pace('a', { minGapSeconds: 900, maxGapSeconds: 900 });
    expect(new Set(gapsOf(slow, 'heavy', 50))).to.deep.equal(new Set([900_000]));
    expect(Math.min(...gapsOf(slow, 'light', 50))).to.be.at.least(150_000);
    expect(Math.min(...gapsOf(pace('a', null, 300_000), 'heavy', 500))).to.equal(305_000);
    expect(gapsOf(pace('a', { maxGapSeconds: 0 }), 'heavy', 2)).to.deep.equal([0, 0]);
  });

  it('kinds that reach a person take the long gaps', () => {
    expect(
      ['connection_request', 'message', 'inmail', 'comment'].map((kind) => paceClassOf(kind as 'message')),
    ).to.deep.equal(['heavy', 'heavy', 'heavy', 'heavy']);
    expect(paceClassOf('profile_view')).to.equal('light');
  });

  it('a restart gives the same plan, and no two accounts run in lockstep', () => {
    expect(gapsOf(pace('a'), 'heavy', 20)).to.deep.equal(gapsOf(pace('a'), 'heavy', 20));
    expect(gapsOf(pace('a'), 'heavy', 20)).to.not.deep.equal(gapsOf(pace('b'), 'heavy', 20));
  });
});
