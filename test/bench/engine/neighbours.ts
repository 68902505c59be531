import { SystemClock, sleepReal } from '../../../pkg/base/clock.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import type { TestDatabase } from '../../tools/postgres.ts';
import { type Filled, fill, type Plan } from './fill.ts';
import { ProductExecutor } from './product.ts';
import { DAY_MS } from './settings.ts';
import type { Table } from './table.ts';

const NEIGHBOURS = 9;
/** Effects per second of each neighbour, and its accounts: its own, or the same for all nine. */
const PER_SECOND = 10;
const ACCOUNTS_EACH = 100;
/** Real ms until the first run of a neighbour is due: nine workspaces have to be filled and their executors started. */
const LEAD_MS = 14_000;
/** Real ms in which ten processes that have just begun compile what they need, on the machine's few cores. */
const WARM_MS = 8_000;
/** Real ms by which the backlog's executor is at work before the neighbours' runs are due. */
const AHEAD_MS = 3_000;
/** A neighbour's p99 stays below this (ms), or below this many times its own without the backlog. */
const LATE_MS = 100;
const LATE_TIMES = 3;
const CONNECTIONS = 2;
/** A run of the backlog is due again so many ms after its step, and meanwhile one of these stands in: as many are due at any moment. */
const AGAIN_MS = 1_000;
const SPARE_RUNS = 250_000;

interface Lateness {
  /** Sorted ms from due to effect of all neighbours together. */
  late: number[];
  /** The p99 of the neighbour that waited longest. */
  worst: number;
}

/**
 * Ten executors of ten workspaces on one Postgres: what a backlog of `backlog` due runs costs nine neighbours, and what they
 * cost it. Adds its rows to the table, and what does not hold to its faults.
 */
export async function neighboursRound(urls: TestDatabase, backlog: number, ms: number, table: Table): Promise<void> {
  const now = new SystemClock().now();
  const plan = { workspaceId: 'bench-backlog', from: now - DAY_MS, spacingMs: 0, waitMs: AGAIN_MS };
  const filled = await fill(urls.superuserUrl, 'plain', backlog + SPARE_RUNS, plan);
  const apart = await nine(urls, { name: 'apart', ms, shared: false });
  table.add('neighbours_own_accounts_p50_ms', at(apart.late, 0.5), 'ms');
  table.add('neighbours_own_accounts_p99_ms', at(apart.late, 0.99), 'ms');
  const alone = await nine(urls, { name: 'alone', ms, shared: true });
  const solo = await drained(urls, filled, ms / 2);
  const connections = await mostConnections(urls, async () => {
    const later = sleepReal(LEAD_MS + WARM_MS - AHEAD_MS).then(() => drained(urls, filled, ms));
    const [beside, shared] = await Promise.all([nine(urls, { name: 'beside', ms, shared: true }), later]);
    tell(table, alone, beside, solo, shared);
    table.hold('as many are due at any moment as were asked for', (shared * AGAIN_MS) / 1_000 < SPARE_RUNS);
  });
  table.add('neighbours_connections', connections, '');
  table.hold(`at most ${CONNECTIONS} connections of each executor`, connections <= CONNECTIONS * (NEIGHBOURS + 1));
}

function tell(table: Table, alone: Lateness, beside: Lateness, solo: number, shared: number): void {
  table.add('neighbours_alone_p50_ms', at(alone.late, 0.5), 'ms');
  table.add('neighbours_alone_p99_ms', at(alone.late, 0.99), 'ms');
  table.add('neighbours_beside_p50_ms', at(beside.late, 0.5), 'ms');
  table.add('neighbours_beside_p99_ms', at(beside.late, 0.99), 'ms');
  table.add('neighbours_beside_worst_p99_ms', beside.worst, 'ms');
  table.add('neighbours_effects', beside.late.length, '');
  table.add('backlog_solo', solo, '1/s');
  table.add('backlog_beside', shared, '1/s');
  const limit = Math.max(LATE_MS, LATE_TIMES * at(alone.late, 0.99));
  table.hold(`p99 of the neighbours within ${limit.toFixed(0)} ms beside the backlog`, at(beside.late, 0.99) <= limit);
  table.hold('the backlog drains at half its solo rate or better', shared >= solo / 2);
}

/** Steps per second of an executor that works on the backlog for `ms`, from {@link AHEAD_MS} on. */
async function drained(urls: TestDatabase, filled: Filled, ms: number): Promise<number> {
  const executor = await ProductExecutor.start(urls, filled, { dueFrom: new SystemClock().now() });
  const { steps } = await executor.round(ms, AHEAD_MS - 1_000);
  await executor.stop();
  return steps;
}

/** Nine workspaces with work that comes due evenly, each with an executor of its own, for `ms`; `shared`: through the same accounts. */
async function nine(
  urls: TestDatabase,
  { name, ms, shared }: { name: string; ms: number; shared: boolean },
): Promise<Lateness> {
  const spacingMs = 1_000 / PER_SECOND;
  const from = new SystemClock().now() + LEAD_MS;
  const runs = Math.floor((WARM_MS + ms) / spacingMs);
  const workspaces: Filled[] = [];
  for (let index = 0; index < NEIGHBOURS; index++) {
    const plan: Partial<Plan> = {
      workspaceId: `bench-${name}-${index}`,
      accountsOf: `bench-${name}-${shared ? 0 : index}`,
      accounts: ACCOUNTS_EACH,
      from,
      spacingMs,
      waitMs: 300 * DAY_MS,
    };
    workspaces.push(await fill(urls.superuserUrl, 'effects', runs, plan, { settle: false }));
  }
  const real = { dueFrom: from, warmMs: WARM_MS };
  const executors = await Promise.all(workspaces.map((filled) => ProductExecutor.start(urls, filled, real)));
  await sleepReal(Math.max(0, from - new SystemClock().now()) + WARM_MS + ms + 2_000);
  const all = await Promise.all(executors.map((executor) => executor.stop()));
  const lates = all.map((one) => one.late);
  return { late: lates.flat().sort((a, b) => a - b), worst: Math.max(...lates.map((late) => at(late, 0.99))) };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The most connections that executors held at once during `work`. */
async function mostConnections(urls: TestDatabase, work: () => Promise<void>): Promise<number> {
  const app = new Database({ url: urls.appUrl, max: 1, applicationName: 'bench' });
  const done = new AbortController();
  const look = async (): Promise<number> => {
    let most = 0;
    while (!done.signal.aborted) {
      const row = await app.tx({ kind: 'platform' }, (tx) =>
        tx.row<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity where application_name = 'bench-executor'`,
        ),
      );
      most = Math.max(most, row?.n ?? 0);
      await sleepReal(500, done.signal).catch(() => undefined);
    }
    return most;
  };
  const looking = look();
  try {
    await work();
  } finally {
    done.abort(new Error('done'));
  }
  const most = await looking;
  await app.close();
  return most;
}
