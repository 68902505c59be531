import { expect } from 'chai';
import fc from 'fast-check';
import { AccountPlan, type AccountPlanState, type PlannedSlot } from '../../../pkg/domain/account-plan.ts';
import { nextOpening } from '../../../pkg/domain/business-hours.ts';
import { type HourShare, hourShare } from '../../../pkg/domain/hour-share.ts';
import { localTime } from '../../../pkg/domain/local-time.ts';
import type { LinkedShare } from '../../../pkg/domain/planned-budgets.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Monday. */
const MONDAY = Date.UTC(2026, 0, 5);
const NINE = MONDAY + 9 * HOUR;
const HOURS = { timezoneMode: 'account' as const, days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
const office = (at: number): number => nextOpening(at, HOURS, 'UTC');
const WEEK = { hoursPerDay: 9, daysPerWeek: 5 };
const USUAL = { opening: office, open: WEEK };

const state = (more: Partial<AccountPlanState> = {}): AccountPlanState => ({
  pace: { accountId: 'a', settings: null, minGapMs: 0 },
  freeAt: { contact: 0, passive: 0 },
  timezone: 'UTC',
  tier: 'premium',
  limits: { connection_request: { day: 3, week: 7 } },
  ramp: null,
  firstSendAt: MONDAY - 30 * DAY,
  health: 1,
  used: {},
  links: [{ share: 0, mine: true, spent: {} }],
  slots: [],
  ...more,
});
const wish = (runId: string, earliest = NINE, opening = office) => ({
  runId,
  budgets: ['connection_request' as const],
  earliest,
  opening,
  open: WEEK,
});
const dateOf = (at: number): string => new Date(at).toISOString().slice(5, 10);

/** No such stretch holds more than so many. */
function expectSpread(times: readonly number[], { most, withinMs }: HourShare): void {
  const sorted = times.toSorted((a, b) => a - b);
  for (const [index, at] of sorted.entries()) {
    const next = sorted[index + most];
    if (next !== undefined) expect(next - at, `${most} within ${withinMs} ms`).to.be.at.least(withinMs);
  }
}

describe('the plan of an account', () => {
  it('fills the days by their limits and the weeks by theirs, one moment for everybody', () => {
    const plan = new AccountPlan(state(), NINE);
    const placed = Array.from({ length: 10 }, (_unused, index) => plan.place(wish(`r${index}`)));
    expect(placed.map(({ at }) => dateOf(at))).to.deep.equal(
      // Seven a week: the third of Wednesday would be the eighth. The next Monday is a new window.
      ['01-05', '01-05', '01-05', '01-06', '01-06', '01-06', '01-07', '01-12', '01-12', '01-12'],
    );
    expect(new Set(placed.map(({ at }) => at)).size).to.equal(10);
    expect(placed[0]).to.include({ at: NINE, boundBy: null });
    expect(placed[3]).to.include({ at: NINE + DAY, boundBy: 'budget' });
  });

  it('a unit more today may not take one from a week that is promised', () => {
    const later: PlannedSlot[] = [1, 2, 3].flatMap((day) =>
      [0, 1].map((index) => ({
        at: NINE + day * DAY + index * HOUR,
        freeAt: NINE + day * DAY + index * HOUR + 300_000,
        actionClass: 'contact' as const,
        runId: `p${day}${index}`,
        link: 0,
        budgets: ['connection_request' as const],
        earliest: 0,
        acted: false,
      })),
    );
    const plan = new AccountPlan(state({ limits: { connection_request: { day: 3, week: 6 } }, slots: later }), NINE);
    expect(dateOf(plan.place(wish('r')).at)).to.equal('01-13');
  });

  it('what others are guaranteed is kept for them', () => {
    const links: LinkedShare[] = [
      { share: 0, mine: true, spent: {} },
      { share: 0.67, mine: false, spent: { connection_request: 1 } },
    ];
    const used = { connection_request: { headDate: '2026-01-05', used: [1, 0, 0, 0, 0, 0, 0] } };
    const plan = new AccountPlan(state({ links, used }), NINE);
    // Two of three a day are theirs; today they spent one.
    expect([1, 2, 3].map((index) => dateOf(plan.place(wish(`r${index}`)).at))).to.deep.equal([
      '01-05',
      '01-06',
      '01-07',
    ]);
  });

  it('nobody is promised more than 180 days ahead, and who asks again later is spread', () => {
    const plan = new AccountPlan(state({ limits: { connection_request: { day: 1, week: 7 } } }), NINE);
    const placed = Array.from({ length: 145 }, (_unused, index) => plan.place(wish(`r${index}`)));
    expect(placed.filter(({ slot }) => slot !== null)).to.have.length(130);
    for (const { at } of placed.slice(130)) expect(at - NINE).to.be.within(178 * DAY, 215 * DAY);
    expect(new Set(placed.slice(130).map(({ at }) => dateOf(at))).size).to.be.greaterThan(8);
  });

  it('an account without limit or health promises nothing', () => {
    for (const none of [state({ health: 0 }), state({ limits: { connection_request: { day: 0 } } })]) {
      expect(new AccountPlan(none, NINE).place(wish('r')).slot).to.equal(null);
    }
  });

  it('the ramp of a fresh account widens its later days', () => {
    const fresh = state({ ramp: { startShare: 0.2, days: 10 }, firstSendAt: null, limits: {} });
    const plan = new AccountPlan(fresh, NINE);
    const perDay = new Map<string, number>();
    for (let index = 0; index < 60; index++) {
      const date = dateOf(plan.place(wish(`r${index}`)).at);
      perDay.set(date, (perDay.get(date) ?? 0) + 1);
    }
    expect([...perDay.values()].slice(0, 5)).to.deep.equal([4, 5, 7, 8, 10]);
  });

  it('a backlog on Monday at nine is spread: no hour carries more than twice what an open hour does', () => {
    const plan = new AccountPlan(state({ tier: 'sales', limits: {} }), NINE);
    const times = Array.from({ length: 75 }, (_unused, index) => plan.place(wish(`r${index}`)).at);
    const perHour = new Map<number, number>();
    for (const at of times) perHour.set(Math.floor(at / HOUR), (perHour.get(Math.floor(at / HOUR)) ?? 0) + 1);
    expect(Math.max(...perHour.values())).to.equal(Math.floor((2 * 25) / 9));
    const perDay = Map.groupBy(times, dateOf);
    expect([...perDay].map(([date, all]) => [date, all.length])).to.deep.equal([
      ['01-05', 25],
      ['01-06', 25],
      ['01-07', 25],
    ]);
  });

  it('a week whose limit is below that of its days is spread over its days', () => {
    const limits = { connection_request: { day: 25, week: 50 } };
    const plan = new AccountPlan(state({ tier: 'sales', limits }), NINE);
    const first = Array.from({ length: 3 }, (_unused, index) => plan.place(wish(`r${index}`)).at);
    expect(first[1]).to.be.lessThan(NINE + HOUR);
    expect(first[2]).to.be.at.least(NINE + HOUR);
  });

  it('who missed its moment goes in between, as often as the hour before allows', () => {
    const limits = { connection_request: { day: 12 } };
    const full = new AccountPlan(state({ limits }), NINE);
    const slots = Array.from({ length: 8 }, (_unused, index) => full.place(wish(`r${index}`)).slot as PlannedSlot);
    const rest = slots.slice(2).map((slot) => ({ ...slot, acted: slot.at < NINE + HOUR }));
    const at = NINE + 90 * 60_000;
    const plan = (): AccountPlan => new AccountPlan(state({ limits, slots: rest }), at);
    expect(plan().place(wish('new', at)).at).to.be.greaterThan(at + 2 * HOUR);
    expect(plan().place({ ...wish('missed', at), late: true }).at).to.be.lessThan(at + HOUR);
  });

  it('late in the day, as many are brought forward as the rest of the day may carry', () => {
    const full = new AccountPlan(state({ limits: {}, tier: 'sales' }), NINE + DAY);
    const slots = Array.from(
      { length: 20 },
      (_unused, index) => full.place(wish(`r${index}`, NINE + DAY)).slot as PlannedSlot,
    );
    const plan = new AccountPlan(state({ slots, limits: {}, tier: 'sales' }), NINE + 8 * HOUR);
    expect(plan.movable(USUAL, 100)).to.have.length(5);
  });

  it('who left makes room: those of later dates should ask anew, no more than fit', () => {
    const full = new AccountPlan(state(), NINE);
    const slots = Array.from({ length: 7 }, (_unused, index) => full.place(wish(`r${index}`)).slot as PlannedSlot);
    const rest = slots.filter((slot) => slot.runId !== 'r1' && slot.runId !== 'r2');
    expect(new AccountPlan(state({ slots }), NINE).movable(USUAL, 10)).to.deep.equal([]);
    expect(new AccountPlan(state({ slots: rest }), NINE).movable(USUAL, 10)).to.deep.equal(['r3', 'r4', 'r6']);
    expect(new AccountPlan(state({ slots: rest }), NINE).movable(USUAL, 1)).to.deep.equal(['r3']);
  });

  it('whatever is wished: limits of every day and week hold, moments are open, and a second plan is the same', () => {
    const wishes = fc.array(
      fc.record({
        after: fc.integer({ min: 0, max: 14 * 24 }).map((hours) => NINE + hours * HOUR),
        action: fc.constantFrom('connection_request' as const, 'message' as const, 'profile_view' as const),
      }),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(wishes, (all) => {
        const limits = {
          connection_request: { day: 3, week: 9 },
          message: { day: 5, week: 20 },
          profile_view: { day: 8 },
        };
        const run = (): number[] => {
          const plan = new AccountPlan(state({ limits }), NINE);
          return all.map(
            ({ after, action }, index) => plan.place({ ...wish(`r${index}`, after), budgets: [action] }).at,
          );
        };
        const times = run();
        expect(run()).to.deep.equal(times);
        for (const action of ['connection_request', 'message', 'profile_view'] as const) {
          const share = hourShare({ week: null, ...limits[action] }, WEEK);
          expectSpread(
            times.filter((_at, index) => all[index]?.action === action),
            share,
          );
        }
        for (const [index, at] of times.entries()) {
          expect(at).to.be.at.least(all[index]?.after ?? 0);
          expect(office(at)).to.equal(at);
        }
        for (const action of ['connection_request', 'message', 'profile_view'] as const) {
          const days = times
            .filter((_at, index) => all[index]?.action === action)
            .map((at) => localTime(at, 'UTC').dayNumber);
          for (const day of new Set(days)) {
            expect(days.filter((one) => one === day).length).to.be.at.most(limits[action].day);
            if (action === 'profile_view') continue;
            expect(days.filter((one) => one > day - 7 && one <= day).length).to.be.at.most(limits[action].week);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
