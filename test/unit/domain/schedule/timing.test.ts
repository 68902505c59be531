import { expect } from 'chai';
import { lastTime, nextTime, spreadOf, type Timing } from '../../../../pkg/domain/schedule/timing.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-28T00:00:00Z');

describe('when a schedule comes', () => {
  it('a cadence comes at its beginning and every so often after it, whatever moment is asked for', () => {
    const timing: Timing = { kind: 'cadence', everyMs: 7 * HOUR, from: NOW };
    expect(nextTime(timing, NOW - HOUR)).to.equal(NOW);
    expect(nextTime(timing, NOW)).to.equal(NOW + 7 * HOUR);
    expect(nextTime(timing, NOW + 20 * HOUR)).to.equal(NOW + 21 * HOUR);
  });

  it('an instant comes once', () => {
    expect(nextTime({ kind: 'instant', at: NOW }, NOW - 1)).to.equal(NOW);
    expect(nextTime({ kind: 'instant', at: NOW }, NOW)).to.equal(null);
  });

  it('of what was missed the last one counts', () => {
    for (const text of ['*/15 * * * *', '30 2 * * *', '0 8 1 * *', '0 9 * * 1-5']) {
      const timing: Timing = { kind: 'cron', cron: text, timezone: 'Europe/Berlin' };
      const first = nextTime(timing, NOW - 400 * 24 * HOUR) ?? 0;
      const last = lastTime(timing, first, NOW);
      expect(last, text).to.be.at.most(NOW);
      expect(nextTime(timing, last), text).to.be.above(NOW);
      expect(nextTime(timing, last - 1), text).to.equal(last);
      expect(lastTime(timing, first, first), text).to.equal(first);
    }
    expect(lastTime({ kind: 'cadence', everyMs: HOUR, from: NOW }, NOW, NOW + 150 * 60_000)).to.equal(NOW + 2 * HOUR);
  });

  it('a thousand schedules of one moment do not start at once, and each always at its own', () => {
    const timing: Timing = { kind: 'cron', cron: '0 8 * * *', timezone: 'UTC' };
    const starts = Array.from({ length: 1_000 }, (_, n) =>
      spreadOf(timing, `0195f000-0000-7000-8000-${String(n).padStart(12, '0')}`),
    );
    const minutes = [0, 1, 2, 3, 4].map((minute) => starts.filter((ms) => Math.floor(ms / 60_000) === minute).length);
    expect(Math.min(...minutes), minutes.join(' ')).to.be.above(120);
    expect(spreadOf(timing, 'a')).to.equal(spreadOf(timing, 'a'));
    expect(spreadOf({ kind: 'instant', at: 0 }, 'a')).to.equal(0);
  });
});
