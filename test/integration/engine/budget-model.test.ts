import { expect } from 'chai';
import fc from 'fast-check';
import { type BudgetWindow, localDate, remaining, rollWindow } from '../../../pkg/domain/budget-window.ts';
import { dayOfDate } from '../../../pkg/domain/local-time.ts';
import { dispatchSends, settleSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, openBench, query } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';

const HOUR = 3_600_000;
const LIMIT = { day: 3, week: 8 };
const ACTION = 'follow';
const ZONES = ['UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Pacific/Kiritimati', 'Europe/Berlin'];
/** Evenings before clocks change in Berlin, Los Angeles and Auckland, and an ordinary one. */
const STARTS = ['2026-03-28T20:00:00Z', '2026-10-31T20:00:00Z', '2026-04-04T02:00:00Z', '2026-06-10T20:00:00Z'];

type Step =
  | { kind: 'send'; workflowFixture: number; fails: boolean; dispatched: boolean }
  | { kind: 'time'; hours: number }
  | { kind: 'zone'; zone: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      workflowFixture: fc.integer({ min: 0, max: 1 }),
      fails: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      dispatched: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('zone' as const), zone: fc.integer({ min: 0, max: 4 }) }) },
);

describe('budgets of an account against the rule, whatever happens to days', function () {
  this.timeout(240_000);
  let bench: Bench;
  let places: LedgerWorkflow[];
  before(async () => {
    bench = await openBench();
    places = [await tools.workflowFixture(), await tools.workflowFixture()];
  });
  after(() => bench.close());
  const tools = ledgerTools(() => bench);

  const setZone = (account: string, zone: string): Promise<unknown> =>
    change(bench, 'update network_account set timezone = $2 where id = $1', [account, zone]);

  /** Claims for somebody new. @returns the send, or null when the budget refused */
  const send = async (at: LedgerWorkflow, account: string, now: number): Promise<string | null> => {
    const [run = ''] = await tools.runs(at, 1);
    const wish = tools.request(run, account, ACTION);
    const [answer] = await tools.claim(at, [wish], now);
    if (answer?.granted) return wish.sendId;
    expect(answer?.refusal).to.equal('budget');
    // What it was promised is nobody's any more.
    await change(bench, `update run set ended_at = 1, state = 'stopped', due_at = null where id = $1`, [run]);
    return null;
  };
  const fail = async (at: LedgerWorkflow, sendId: string, dispatched: boolean, now: number): Promise<void> => {
    if (dispatched) await at.claim.tx((tx) => dispatchSends(tx, now, [sendId]));
    await at.claim.tx((tx) => settleSends(tx, now, [{ sendId, result: 'failed', error: 'no' }]));
  };

  /** One sending and its expectation. @returns the window after it */
  const sendOne = async (
    one: Extract<Step, { kind: 'send' }>,
    account: string,
    now: number,
    window: BudgetWindow,
  ): Promise<BudgetWindow> => {
    const workflowFixture = places[one.workflowFixture] as LedgerWorkflow;
    const made = await send(workflowFixture, account, now);
    expect(made !== null, JSON.stringify({ one, window })).to.equal(remaining(window, LIMIT) > 0);
    if (made === null) return window;
    if (!one.fails) return { ...window, used: window.used.map((units, day) => (day === 0 ? units + 1 : units)) };
    await fail(workflowFixture, made, one.dispatched, now);
    return window;
  };

  const play = async (account: string, start: string, steps: readonly Step[]): Promise<void> => {
    let now = Date.parse(start);
    let zone = 'UTC';
    let window: BudgetWindow = { headDate: '2000-01-01', used: [0, 0, 0, 0, 0, 0, 0] };
    for (const one of steps) {
      if (one.kind === 'time') now += one.hours * HOUR;
      else if (one.kind === 'zone') {
        zone = ZONES[one.zone] ?? 'UTC';
        await setZone(account, zone);
      } else {
        window = rollWindow(window.used, window.headDate, localDate(now, zone));
        window = await sendOne(one, account, now, window);
      }
    }
  };

  /** What was sent, by the dates that it was counted on. */
  const holdLimits = async (account: string): Promise<void> => {
    const days = await query<{ day: string; units: number }>(
      bench,
      `select budget_date::text as day, count(*)::int as units from send where account_id = $1 and state <> 'failed' group by 1`,
      [account],
    );
    const within = (day: string, other: string): boolean =>
      dayOfDate(other) <= dayOfDate(day) && dayOfDate(day) - dayOfDate(other) < 7;
    for (const { day, units } of days) {
      expect(units, day).to.be.at.most(LIMIT.day);
      const week = days.filter((other) => within(day, other.day)).reduce((sum, other) => sum + other.units, 0);
      expect(week, `seven to ${day}`).to.be.at.most(LIMIT.week);
    }
  };

  it('no local date and no seven of them have more than the limits, from two workspaces, over changes of zone and clock', async () => {
    const steps = fc.array(step, { minLength: 10, maxLength: 40 });
    const property = fc.asyncProperty(fc.constantFrom(...STARTS), steps, async (start, taken) => {
      const links = places.map((workflowFixture) => workflowFixture.ws);
      // Bound by its budgets alone.
      const free = { minGapSeconds: 0, maxGapSeconds: 0 };
      const account = await addAccount(bench.app, links, { limits: { [ACTION]: LIMIT }, pacing: free });
      await play(account, start, taken);
      await holdLimits(account);
    });
    await fc.assert(property, { numRuns: 12 });
  });
});
