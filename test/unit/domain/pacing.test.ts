import { expect } from 'chai';
import { FRESH_PACE, MEAN_GAP_MS, nextGap, paceClassOf, paceNext } from '../../../pkg/domain/pacing.ts';

function plan(accountId: string, count: number) {
  let state = FRESH_PACE;
  let now = 1_000_000;
  return Array.from({ length: count }, () => {
    const step = paceNext(state, now, 'heavy', accountId, '2026-03-02');
    state = step.state;
    now = step.slotAt;
    return step;
  });
}

describe('pacing', () => {
  it('gaps stay in their bounds, vary, and have the mean that forecasts use', () => {
    for (const [paceClass, min, max] of [
      ['heavy', 120_000, 420_000],
      ['light', 20_000, 90_000],
    ] as const) {
      const gaps = Array.from({ length: 4000 }, (_unused, draw) => nextGap(`a/${draw}`, paceClass));
      expect(Math.min(...gaps)).to.be.at.least(min);
      expect(Math.max(...gaps)).to.be.at.most(max);
      expect(new Set(gaps).size).to.be.greaterThan(3000);
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      expect(Math.abs(mean / MEAN_GAP_MS[paceClass] - 1)).to.be.below(0.05);
    }
  });

  it('kinds that reach a person take the long gaps', () => {
    expect(
      ['connection_request', 'message', 'inmail', 'comment'].map((kind) => paceClassOf(kind as 'message')),
    ).to.deep.equal(['heavy', 'heavy', 'heavy', 'heavy']);
    expect(paceClassOf('profile_view')).to.equal('light');
  });

  it('a restart gives the same plan, and no two accounts run in lockstep', () => {
    expect(plan('a', 20)).to.deep.equal(plan('a', 20));
    expect(plan('a', 20).map((step) => step.slotAt)).to.not.deep.equal(plan('b', 20).map((step) => step.slotAt));
  });

  it('sessions of 20 to 60 minutes are followed by pauses of at least 5', () => {
    const steps = plan('a', 300);
    let pauses = 0;
    for (const [index, step] of steps.entries()) {
      const before = steps[index - 1];
      if (!before || before.state.sessionEndsAt === step.state.sessionEndsAt) continue;
      expect(before.slotAt).to.be.below(before.state.sessionEndsAt);
      expect(step.slotAt - before.state.sessionEndsAt).to.be.within(5 * 60_000, 20 * 60_000);
      expect(step.state.sessionEndsAt - step.slotAt).to.be.within(20 * 60_000, 60 * 60_000);
      pauses++;
    }
    expect(pauses).to.be.greaterThan(10);
  });

  it('an account that is free acts now, and one that was idle begins a new session', () => {
    expect(paceNext(FRESH_PACE, 5000, 'light', 'a', '2026-03-02').slotAt).to.equal(5000);
    const idle = paceNext({ freeAt: 10, sessionEndsAt: 20, draws: 4 }, 9_000_000, 'light', 'a', '2026-03-02');
    expect(idle.slotAt).to.equal(9_000_000);
    expect(idle.state.sessionEndsAt).to.be.within(9_000_000 + 20 * 60_000, 9_000_000 + 60 * 60_000);
    expect(idle.state.freeAt).to.be.greaterThan(9_000_000);
  });
});
