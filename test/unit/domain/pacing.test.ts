import { expect } from 'chai';
import { classOf } from '../../../pkg/domain/actions.ts';
import { type AccountPace, gapAfter, MEAN_GAP_MS, type PaceSettings } from '../../../pkg/domain/pacing.ts';

const pace = (accountId: string, settings: PaceSettings | null = null, minGapMs = 0): AccountPace => ({
  accountId,
  settings,
  minGapMs,
});
const gapsOf = (of: AccountPace, actionClass: 'contact' | 'passive', count = 4000): number[] =>
  Array.from({ length: count }, (_unused, index) => gapAfter(of, 1_767_600_000_000 + index * 1000, actionClass));

describe('pacing', () => {
  it('gaps stay in their bounds, vary, and have the mean that forecasts use', () => {
    for (const [actionClass, min, max] of [
      ['contact', 120_000, 420_000],
      ['passive', 20_000, 90_000],
    ] as const) {
      const gaps = gapsOf(pace('a'), actionClass);
      expect(Math.min(...gaps)).to.be.at.least(min);
      expect(Math.max(...gaps)).to.be.at.most(max);
      expect(new Set(gaps).size).to.be.greaterThan(3000);
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      expect(Math.abs(mean / MEAN_GAP_MS[actionClass] - 1)).to.be.below(0.05);
    }
  });

  it("an account's own bounds count, passive kinds follow in proportion, and a mailbox keeps its least gap", () => {
    const slow = pace('a', { minGapSeconds: 900, maxGapSeconds: 900 });
    expect(new Set(gapsOf(slow, 'contact', 50))).to.deep.equal(new Set([900_000]));
    expect(Math.min(...gapsOf(slow, 'passive', 50))).to.be.at.least(150_000);
    expect(Math.min(...gapsOf(pace('a', null, 300_000), 'contact', 500))).to.equal(305_000);
    expect(gapsOf(pace('a', { maxGapSeconds: 0 }), 'contact', 2)).to.deep.equal([0, 0]);
  });

  it('kinds that reach a person take the long gaps', () => {
    expect(['connection_request', 'message', 'inmail', 'comment'].map(classOf)).to.deep.equal([
      'contact',
      'contact',
      'contact',
      'contact',
    ]);
    expect(classOf('profile_view')).to.equal('passive');
  });

  it('a restart gives the same plan, and no two accounts run in lockstep', () => {
    expect(gapsOf(pace('a'), 'contact', 20)).to.deep.equal(gapsOf(pace('a'), 'contact', 20));
    expect(gapsOf(pace('a'), 'contact', 20)).to.not.deep.equal(gapsOf(pace('b'), 'contact', 20));
  });
});
