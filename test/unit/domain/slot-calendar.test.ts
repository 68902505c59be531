import { expect } from 'chai';
import fc from 'fast-check';
import type { ActionClass } from '../../../pkg/domain/actions.ts';
import { type AccountPace, breakMs, sessionLength } from '../../../pkg/domain/pacing.ts';
import { firstAfter, firstFree, type Slot } from '../../../pkg/domain/slot-calendar.ts';

const MINUTE = 60_000;
const NINE = Date.UTC(2026, 0, 5, 9);
const PACE: AccountPace = { accountId: 'a', settings: null, minGapMs: 0 };

function taken(wishes: readonly { from: number; actionClass: ActionClass }[], pace = PACE): Slot[] {
  const slots: Slot[] = [];
  for (const { from, actionClass } of wishes) {
    const slot = firstFree(slots, from, actionClass, pace);
    slots.splice(firstAfter(slots, slot.at), 0, slot);
  }
  return slots;
}

/** Runs of actions without a break. */
function sessions(slots: readonly Slot[]): Slot[][] {
  const all: Slot[][] = [];
  for (const slot of slots) {
    const last = all.at(-1)?.at(-1);
    if (last && slot.at - last.at < breakMs(PACE)) all.at(-1)?.push(slot);
    else all.push([slot]);
  }
  return all;
}

describe('the calendar of an account', () => {
  it('an account that is free acts now', () => {
    expect(firstFree([], NINE, 'passive', PACE).at).to.equal(NINE);
    const [first] = taken([{ from: NINE, actionClass: 'contact' }]);
    expect(firstFree([first as Slot], NINE + 60 * MINUTE, 'contact', PACE).at).to.equal(NINE + 60 * MINUTE);
  });

  it('who asks later is put behind, and fills a hole that is wide enough', () => {
    const slots = taken([
      { from: NINE, actionClass: 'contact' },
      { from: NINE + 40 * MINUTE, actionClass: 'contact' },
    ]);
    const between = firstFree(slots, NINE, 'contact', PACE);
    expect(between.at).to.equal(slots[0]?.freeAt);
    const close = firstFree(slots, NINE + 39 * MINUTE, 'contact', PACE);
    expect(close.at, 'too near before the next').to.be.at.least(slots[1]?.freeAt ?? 0);
  });

  it('whatever is asked in whatever order: gaps hold, sessions end, and the order of asking is all that decides', () => {
    const wish = fc.record({
      from: fc.integer({ min: 0, max: 8 * 60 }).map((minutes) => NINE + minutes * MINUTE),
      actionClass: fc.constantFrom<ActionClass>('contact', 'passive'),
    });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 150 }), fc.string(), (wishes, accountId) => {
        const pace = { ...PACE, accountId };
        const slots = taken(wishes, pace);
        expect(slots).to.deep.equal(taken(wishes, pace));
        for (const actionClass of ['contact', 'passive'] as const) {
          const same = slots.filter((slot) => slot.actionClass === actionClass);
          for (const [index, slot] of same.entries()) {
            const next = same[index + 1];
            if (next) expect(next.at).to.be.at.least(slot.freeAt);
          }
        }
        for (const session of sessions(slots)) {
          const start = session[0]?.at ?? 0;
          expect((session.at(-1)?.at ?? 0) - start).to.be.at.most(sessionLength(pace, start));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('sessions of 20 to 60 minutes are followed by pauses of up to 20', () => {
    const all = sessions(taken(Array.from({ length: 300 }, () => ({ from: NINE, actionClass: 'passive' as const }))));
    expect(all.length).to.be.greaterThan(3);
    for (const [index, session] of all.entries()) {
      const last = session.at(-1)?.at ?? 0;
      const next = all[index + 1]?.[0];
      if (!next) continue;
      expect(last - (session[0]?.at ?? 0)).to.be.within(18 * MINUTE, 60 * MINUTE);
      expect(next.at - last).to.be.within(7 * MINUTE, 20 * MINUTE);
    }
  });
});
