import { expect } from 'chai';
import { levelOn, limitsOf, paceOf, unreadiness, type WarmupFacts, warmupHold } from '../../../pkg/domain/warmup.ts';

const PROVEN = { spf: 'pass', dkim: 'pass', dmarc: 'pass' };
const READY: WarmupFacts = { day: 14, sent: 100, bounced: 1, complained: 0, ...PROVEN };

describe('warm-up of a mailbox', () => {
  it('U1: real mail grows from 5 a day by its increment to its target, and not beyond', () => {
    const plan = { dailyTarget: 30, dailyIncrement: 2, firstLevel: 5, limitBefore: null };
    const levels = Array.from({ length: 16 }, (_, day) => levelOn(plan, day));
    expect(levels[0]).to.equal(5);
    expect(levels.at(-1)).to.equal(30);
    for (const [day, level] of levels.entries()) if (day > 0) expect(level - (levels[day - 1] ?? 0)).to.be.within(0, 2);
    expect(limitsOf({ dailyTarget: 30, dailyIncrement: 0, firstLevel: 5, limitBefore: null })).to.deep.equal({
      limit: 5,
      ramp: null,
    });
    expect(limitsOf({ dailyTarget: 3, dailyIncrement: 2, firstLevel: 3, limitBefore: null })).to.deep.equal({
      limit: 3,
      ramp: null,
    });
  });

  it('U1: what a person set for the mailbox bounds it, and is never more than the ramp allows', () => {
    const plan = { dailyTarget: 30, dailyIncrement: 2, firstLevel: 5 };
    expect(levelOn({ ...plan, limitBefore: 2000 }, 0)).to.equal(5);
    expect(levelOn({ ...plan, limitBefore: 2000 }, 90)).to.equal(30);
    expect(levelOn({ ...plan, limitBefore: 12 }, 90)).to.equal(12);
    expect(levelOn({ ...plan, limitBefore: 0 }, 90)).to.equal(0);
    expect(paceOf({ ...plan, limitBefore: 2000 }, 1)).to.deep.equal({ limit: 6, ramp: null });
    expect(paceOf({ ...plan, limitBefore: 3 }, null)).to.deep.equal({ limit: 3, ramp: null });
  });

  it('U1: it grows no further where mails come back, are complained about, or the domain fails; a small sample says nothing', () => {
    expect(warmupHold(READY)).to.equal(null);
    expect(warmupHold({ ...READY, bounced: 2 })).to.match(/2 of 100/);
    expect(warmupHold({ ...READY, sent: 49, bounced: 10 })).to.equal(null);
    expect(warmupHold({ ...READY, complained: 1 })).to.match(/complained/);
    expect(warmupHold({ ...READY, sent: 99, complained: 1 })).to.equal(null);
    expect(warmupHold({ ...READY, dmarc: 'failing' })).to.match(/DMARC/);
    expect(warmupHold({ ...READY, dmarc: 'unconfirmed', spf: undefined })).to.equal(null);
  });

  it('U6: ready is proven, 14 days, 100 mails and less than 2 % that came back, all of it', () => {
    expect(unreadiness(READY)).to.deep.equal([]);
    for (const [missing, word] of [
      [{ day: 13 }, /13 of 14 days/],
      [{ sent: 99, bounced: 0 }, /99 of 100 mails/],
      [{ bounced: 2 }, /came back/],
      [{ spf: 'unknown' }, /^SPF: unknown/],
      [{ dkim: 'unconfirmed' }, /^DKIM: unconfirmed/],
      [{ dmarc: undefined }, /^DMARC: not looked up yet/],
    ] as const) {
      const why = unreadiness({ ...READY, ...missing });
      expect(why, JSON.stringify(missing)).to.have.length(1);
      expect(why[0]).to.match(word);
    }
  });
});
