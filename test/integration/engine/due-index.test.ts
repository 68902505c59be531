import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import type { DequeueLane } from '../../../pkg/store/runs/dequeue-lane.ts';
import { nextDue, planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { dequeue, type RunRow } from '../../../pkg/store/runs/runs.ts';
import { type Bench, change, openBench, query } from '../../fixtures/engine/harness.ts';
import { type Actor, interleave } from '../../fixtures/engine/interleave.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';

const HOUR = 3_600_000;
const ROUNDS = 60;
/** Ids of accounts of the first and of the second lane. */
const LANES = ['account-b', 'account-a'] as const;
const NOTHING_BUT_UNDO = new Error('undo');

/** Runs with a place that stand in no entry of it and of their account's lane. */
const LOST = `select r.id from run r
  where r.workspace_id = $1 and app.agenda_at(r.due_at, r.wait_reason, r.ended_at) is not null and not exists (
    select 1 from agenda a where a.workspace_id = r.workspace_id and a.due_at = app.agenda_at(r.due_at, r.wait_reason, r.ended_at)
      and a.lane = app.agenda_lane(a.due_at, r.account_id, r.workflow_id) and r.id = any (a.run_ids))`;

interface Seed {
  due: number;
  account?: string | null;
}

describe('engine: the agenda of groups', function () {
  this.timeout(180_000);
  let bench: Bench;
  let at: LedgerWorkflow;
  let now: number;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  const { workflowFixture } = ledgerTools(() => bench);
  beforeEach(async () => {
    at = await workflowFixture();
    now = bench.clock.now();
  });

  /** Makes waiting runs. @returns their ids */
  const seed = async (rows: readonly Seed[]): Promise<string[]> => {
    const ids = rows.map(() => randomUUID());
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at, account_id)
       select u.id, $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', u.due_at, 1, 1, u.account_id
       from unnest($4::uuid[], $5::bigint[], $6::text[]) as u (id, due_at, account_id)`,
      [at.ws, at.flow, at.camp, ids, rows.map((row) => row.due), rows.map((row) => row.account ?? null)],
    );
    return ids;
  };
  const many = (count: number, due: number, account?: string): Seed[] =>
    Array.from({ length: count }, () => ({ due, ...(account ? { account } : {}) }));
  const entries = (): Promise<{ due_at: number; lane: number; run_ids: string[]; made: string }[]> =>
    query(bench, 'select due_at, lane, run_ids, xmin::text as made from agenda where workspace_id = $1', [at.ws]);
  /** How many runs the entries name: by time, then lane, then size. */
  const sizes = async (): Promise<[number, number, number][]> =>
    (await entries())
      .map((one): [number, number, number] => [one.due_at, one.lane, one.run_ids.length])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1] || b[2] - a[2]);
  const lost = (): Promise<unknown[]> => query(bench, LOST, [at.ws]);
  /** As a batch moves what it has claimed: elsewhere, at another time. */
  const move = (tx: Tx, ids: readonly string[], due: number, entered = 2): Promise<number> =>
    tx.exec('update run set due_at = $2, entered_at = $3, version = version + 1 where id = any ($1)', [
      ids,
      due,
      entered,
    ]);
  const idsOf = (runs: readonly RunRow[]): string[] => runs.map((run) => run.id);
  const claiming = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => at.claim.tx(work, { lookups: true });
  /** Claims in a transaction of its own, moves what it got an hour on, and tells what that was. */
  const batch = (
    limit: number,
    lane: DequeueLane | null = null,
    until = now,
    busy: string[] = [],
    from: number | null = null,
  ): Promise<string[]> =>
    claiming(async (tx) => {
      const runs = await dequeue(tx, until, limit, busy, lane, from);
      await move(tx, idsOf(runs), until + HOUR);
      return idsOf(runs);
    });
  /** Does `during` while another transaction, which ends so, has done `first`. */
  const meanwhile = async <T>(
    first: (tx: Tx) => Promise<unknown>,
    end: 'commit' | 'rollback',
    during: () => Promise<T>,
  ): Promise<T> => {
    let found: T | undefined;
    await bench.app
      .tx({ kind: 'platform' }, async (tx) => {
        await first(tx);
        found = await during();
        if (end === 'rollback') throw NOTHING_BUT_UNDO;
      })
      .catch((error: unknown) => {
        if (error !== NOTHING_BUT_UNDO) throw error;
      });
    return found as T;
  };

  it('runs that are due at one instant share entries of at most a hundred, each of one lane', async () => {
    const ids = await seed([...many(250, now, LANES[0]), ...many(30, now, LANES[1]), ...many(1, now + 1)]);
    expect(await sizes()).to.deep.equal([
      [now, 0, 100],
      [now, 0, 100],
      [now, 0, 50],
      [now, 1, 30],
      [now + 1, 0, 1],
    ]);
    const made = (await entries()).map((one) => one.made);
    await change(bench, `update run set facts = '{"a": 1}', version = version + 1 where workspace_id = $1`, [at.ws]);
    expect(
      (await entries()).map((one) => one.made),
      'nothing moved',
    ).to.deep.equal(made);
    await change(bench, 'update run set due_at = $2 where id = any ($1)', [ids.slice(0, 120), now + 2]);
    expect((await sizes()).slice(-3)).to.deep.equal([
      [now + 1, 0, 1],
      [now + 2, 0, 100],
      [now + 2, 0, 20],
    ]);
    await change(bench, 'update run set account_id = $2 where id = any ($1)', [ids.slice(0, 10), LANES[1]]);
    await change(bench, 'delete from run where id = any ($1)', [ids.slice(100, 250)]);
    expect((await sizes()).slice(0, 2)).to.deep.equal([
      [now, 1, 30],
      [now + 1, 0, 1],
    ]);
    expect((await sizes()).slice(2).map(([due, lane]) => [due, lane])).to.deep.equal([
      [now + 2, 0],
      [now + 2, 0],
      [now + 2, 1],
    ]);
    expect(await lost()).to.deep.equal([]);
  });

  it('a claim moves its groups on as groups, and leaves nothing behind', async () => {
    await seed([...many(130, now - 2), ...many(70, now - 1)]);
    const [first, second] = [await batch(150), await batch(150)];
    expect([first.length, second.length]).to.deep.equal([150, 50]);
    expect(new Set([...first, ...second]).size).to.equal(200);
    expect(await sizes()).to.deep.equal([
      [now + HOUR, 0, 100],
      [now + HOUR, 0, 50],
      [now + HOUR, 0, 50],
    ]);
  });

  for (const end of ['commit', 'rollback'] as const) {
    it(`a run that another transaction holds stays in the agenda and is claimed when that one is over (${end})`, async () => {
      const [held = '', ...free] = await seed(many(5, now));
      const mine = await meanwhile(
        (tx) => tx.exec('update run set version = version + 1 where id = $1', [held]),
        end,
        () => batch(10),
      );
      expect(new Set(mine)).to.deep.equal(new Set(free));
      expect(await lost()).to.deep.equal([]);
      expect(await batch(10)).to.deep.equal([held]);
    });

    it(`a run that is moved while its entry is claimed is claimed at the time that it has then (${end})`, async () => {
      const [moved = '', ...free] = await seed(many(5, now));
      const mine = await meanwhile(
        (tx) => tx.exec('update run set due_at = $2 where id = $1', [moved, now + 5]),
        end,
        () => batch(10),
      );
      // The others of an entry that is being rewritten may come a moment later.
      const then = await batch(10);
      expect(await lost()).to.deep.equal([]);
      expect(new Set([...mine, ...then])).to.deep.equal(new Set(end === 'commit' ? free : [moved, ...free]));
      expect(await batch(10, null, now + 5)).to.deep.equal(end === 'commit' ? [moved] : []);
    });

    it(`a tool that moves a run whose entry is being claimed waits for nobody and loses nothing (the claim: ${end})`, async () => {
      const ids = await seed(many(5, now));
      const claim = claiming(async (tx) => {
        const mine = idsOf(await dequeue(tx, now, 2, []));
        const left = ids.filter((id) => !mine.includes(id));
        await change(bench, 'update run set due_at = $2 where id = $1', [left[0], now + 5]);
        await move(tx, mine, now + HOUR);
        if (end === 'rollback') throw NOTHING_BUT_UNDO;
      });
      await claim.catch((error: unknown) => {
        if (error !== NOTHING_BUT_UNDO) throw error;
      });
      expect(await lost()).to.deep.equal([]);
      expect(await batch(10)).to.have.length(end === 'commit' ? 2 : 4);
      expect(await batch(10, null, now + 5)).to.have.length(1);
      expect((await sizes()).filter(([due]) => due <= now + 5)).to.deep.equal([]);
    });
  }

  it('what is beyond the limit, and what is busy, stays in the agenda', async () => {
    const ids = await seed(many(250, now));
    const busy = ids.slice(0, 120);
    const first = await batch(100, null, now, busy);
    expect(first).to.have.length(100);
    expect(await lost()).to.deep.equal([]);
    const second = await batch(100, null, now, busy);
    expect(new Set([...first, ...second])).to.deep.equal(new Set(ids.slice(120)));
    expect(await batch(1_000)).to.have.length(120);
  });

  it('a claim of a few finds them behind however many that are busy', async () => {
    const busy = await seed(many(2_000, now - 1));
    const behind = await seed(many(3, now));
    expect(new Set(await batch(5, null, now, busy))).to.deep.equal(new Set(behind));
    expect(await lost()).to.deep.equal([]);
    expect(await batch(3_000)).to.have.length(2_000);
  });

  it('the longest due come first, whatever shares their entries', async () => {
    const times = Array.from({ length: 300 }, (_, index) => now - 1 - ((index * 7) % 40));
    await seed(times.map((due) => ({ due })));
    const seen: number[] = [];
    for (let left = 1; left > 0; ) {
      left = await claiming(async (tx) => {
        const runs = await dequeue(tx, now, 37, []);
        seen.push(...runs.map((run) => run.dueAt ?? 0));
        await move(tx, idsOf(runs), now + HOUR);
        return runs.length;
      });
    }
    expect(seen).to.deep.equal([...times].sort((a, b) => a - b));
  });

  it('a claim that looks from a time on takes what was due before only where it finds too little, and never more than it may', async () => {
    const [early, late] = [await seed(many(150, now - 5)), await seed(many(150, now))];
    const first = await batch(100, null, now, [], now);
    expect([first.length, first.every((id) => late.includes(id))]).to.deep.equal([100, true]);
    const second = await batch(100, null, now, [], now);
    expect(second.filter((id) => late.includes(id))).to.have.length(50);
    expect(second.filter((id) => early.includes(id))).to.have.length(50);
    expect(await lost()).to.deep.equal([]);
    expect(new Set(await batch(500, null, now, [], now + 1))).to.deep.equal(
      new Set(early.filter((id) => !second.includes(id))),
    );
    expect((await sizes()).filter(([due]) => due <= now)).to.deep.equal([]);
  });

  it('lanes take disjoint runs side by side, and a run whose account changed is of the other lane', async () => {
    const ids = await seed([...many(60, now, LANES[0]), ...many(60, now, LANES[1]), ...many(5, now)]);
    await change(bench, 'update run set account_id = $2 where id = $1', [ids[0], LANES[1]]);
    const [zero, one] = await claiming(async (tx) => {
      const mine = idsOf(await dequeue(tx, now, 500, [], 0));
      const theirs = await batch(500, 1);
      await move(tx, mine, now + HOUR);
      return [mine, theirs];
    });
    expect(new Set(zero)).to.deep.equal(new Set([...ids.slice(1, 60), ...ids.slice(120)]));
    expect(new Set(one)).to.deep.equal(new Set([ids[0], ...ids.slice(60, 120)]));
  });

  it('names of runs that are not due any more are dropped by a claim, which takes what is due behind them', async () => {
    const ids = await seed(many(250, now - 1));
    // While a claim keeps the entries, nobody can take names out of them.
    await claiming(async (tx) => {
      const mine = idsOf(await dequeue(tx, now, 10, []));
      const left = ids.filter((id) => !mine.includes(id));
      await change(bench, `update run set due_at = null, state = 'paused' where id = any ($1)`, [left]);
      await move(tx, mine, now + HOUR);
    });
    const behind = await seed(many(5, now));
    expect(
      (await entries()).filter((one) => one.due_at < now),
      'stale',
    ).to.not.deep.equal([]);
    expect(await claiming(nextDue)).to.equal(now);
    expect(new Set(await batch(10))).to.deep.equal(new Set(behind));
    expect((await sizes()).filter(([due]) => due <= now)).to.deep.equal([]);
    expect(await claiming(nextDue)).to.equal(now + HOUR);
  });

  it('names at the end of time are dropped when the executor rests; what is parked stays', async () => {
    const [parked] = await seed(many(1, now));
    await change(bench, `update run set due_at = null, wait_reason = 'send_freeze' where id = $1`, [parked]);
    await change(
      bench,
      `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ($1, 'run', $2, 'test', 'test', 1)`,
      [at.ws, parked],
    );
    const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    await owner.tx({ kind: 'none' }, (tx) =>
      tx.exec(
        'insert into outrider.agenda (workspace_id, due_at, lane, run_ids) select $1, app.parked_at(), 0, array[gen_random_uuid()]',
        [at.ws],
      ),
    );
    await owner.close();
    expect(await entries()).to.have.length(2);
    expect((await claiming((tx) => planIdle(tx, now))).nextDue).to.equal(null);
    expect((await entries()).map((one) => one.run_ids)).to.deep.equal([[parked]]);
  });

  it('a run that stands in two entries is claimed once', async () => {
    const [twice = ''] = await seed(many(1, now));
    await claiming(async (tx) => {
      expect(await dequeue(tx, now, 10, [twice])).to.deep.equal([]);
      // The claim keeps its entry, and has put its name back already.
      for (const due of [now + 5, now]) await change(bench, 'update run set due_at = $2 where id = $1', [twice, due]);
    });
    expect((await entries()).map((one) => one.run_ids)).to.deep.equal([[twice], [twice]]);
    expect(await batch(10)).to.deep.equal([twice]);
    expect(await batch(10)).to.deep.equal([]);
  });

  it('a run whose account changes while its entry is claimed is taken by its new lane only', async () => {
    const [changed = ''] = await seed(many(1, now, LANES[0]));
    await claiming(async (tx) => {
      await dequeue(tx, now, 10, [changed], 0);
      await change(bench, 'update run set account_id = $2 where id = $1', [changed, LANES[1]]);
    });
    expect(await batch(10, 0)).to.deep.equal([]);
    expect(await lost()).to.deep.equal([]);
    expect(await batch(10, 1)).to.deep.equal([changed]);
  });

  it('a batch that moves what it did not claim takes it out of its entry, and what keeps its time stands in the agenda again', async () => {
    const [claimed = ''] = await seed(many(1, now));
    const answered = await seed(many(2, now + 5));
    await claiming(async (tx) => {
      await dequeue(tx, now, 10, []);
      await tx.exec('update run set due_at = case when id = $1 then due_at else $3 end where id = any ($2)', [
        claimed,
        [claimed, answered[0]],
        now + HOUR,
      ]);
    });
    expect(await sizes()).to.deep.equal([
      [now, 0, 1],
      [now + 5, 0, 1],
      [now + HOUR, 0, 1],
    ]);
    expect(await lost()).to.deep.equal([]);
  });

  it(`two claims at once and tools between their steps: every due run is taken once, and none is lost (${ROUNDS} rounds)`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const dice = seededRandom('agenda', round);
      await playRound(dice, `round ${round}`);
      at = await workflowFixture();
    }
  });

  async function playRound(dice: () => number, name: string): Promise<void> {
    const pick = <T>(from: readonly T[]): T => from[Math.floor(dice() * from.length)] as T;
    const times = [now - 3, now - 2, now - 2, now - 1, now, now + 7, now + HOUR];
    const ids = await seed(Array.from({ length: 180 }, () => ({ due: pick(times), account: pick([...LANES, null]) })));
    /** Each claim that was committed: the run, and since when it stood where it stood. */
    const taken: string[] = [];
    let entered = 10;
    const twoBatches =
      (lane: DequeueLane | null): Actor =>
      async (turn) => {
        for (let index = 0; index < 3; index++) {
          const [limit, undo] = [5 + Math.floor(dice() * 70), dice() < 0.25];
          const from = pick([null, now - 2, now, now + 5]);
          await turn();
          await claiming(async (tx) => {
            const runs = await dequeue(tx, now, limit, ids.slice(0, 3), lane, from);
            expect(runs.length <= limit && runs.every((run) => run.dueAt !== null && run.dueAt <= now), name).to.equal(
              true,
            );
            await turn();
            // Some come due again at once.
            const due = pick([now + HOUR, now + 2 * HOUR, now]);
            await move(tx, idsOf(runs), due, ++entered);
            await turn();
            if (undo) throw NOTHING_BUT_UNDO;
            return runs.map((run) => `${run.id} ${run.enteredAt}`);
          }).then(
            (seen) => taken.push(...seen),
            (error: unknown) => {
              if (error !== NOTHING_BUT_UNDO) throw error;
            },
          );
        }
      };
    const changes: [string, unknown[]][] = [
      ['due_at = $2', [now + HOUR]],
      ['due_at = $2', [now - 2]],
      ['due_at = $2, ended_at = null', [now]],
      [`due_at = null, state = 'paused', wait_reason = $2`, ['paused']],
      ['account_id = $2', [LANES[0]]],
      ['account_id = $2', [LANES[1]]],
      [`due_at = null, wait_reason = $2`, ['send_freeze']],
    ];
    const tool: Actor = async (turn) => {
      for (let index = 0; index < 4; index++) {
        const some = Array.from({ length: 1 + Math.floor(dice() * 8) }, () => pick(ids));
        const [[set, values], undo, removes] = [pick(changes), dice() < 0.25, dice() < 0.1];
        await turn();
        await bench.app
          .tx({ kind: 'platform' }, async (tx) => {
            await tx.exec('select 1 from run where id = any ($1) order by id for update', [some]);
            await turn();
            if (removes) await tx.exec('delete from run where id = $1', [some[0]]);
            else await tx.exec(`update run set ${set} where id = any ($1)`, [some, ...values]);
            await turn();
            if (undo) throw NOTHING_BUT_UNDO;
          })
          .catch((error: unknown) => {
            if (error !== NOTHING_BUT_UNDO) throw error;
          });
      }
    };
    await interleave([twoBatches(pick([null, 0])), twoBatches(pick([null, 1])), tool, tool], dice);
    expect(await lost(), name).to.deep.equal([]);
    expect(new Set(taken).size, `${name}: taken twice`).to.equal(taken.length);
    const due = await query<{ id: string }>(bench, 'select id from run where workspace_id = $1 and due_at <= $2', [
      at.ws,
      now,
    ]);
    const left: string[] = [];
    for (const lane of [0, 1] as const) {
      for (let got = await batch(40, lane); got.length > 0; got = await batch(40, lane, now, [], pick([null, now - 1])))
        left.push(...got);
    }
    expect([...left].sort(), `${name}: what is left`).to.deep.equal(due.map((run) => run.id).sort());
    expect(await lost(), name).to.deep.equal([]);
    expect(
      (await sizes()).filter(([workflowFixture]) => workflowFixture <= now),
      `${name}: names that nobody dropped`,
    ).to.deep.equal([]);
  }
});
