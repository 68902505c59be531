import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SystemClock, sleepReal } from '../../../pkg/base/clock.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { LeaseBroker } from '../../../pkg/standalone/node-agent/lease-broker.ts';
import { LeaseDesk } from '../../../pkg/store/leases/lease-desk.ts';
import { allSeats, seat, unseat } from '../../../pkg/store/leases/seats.ts';
import { startBouncer } from '../../tools/pgbouncer.ts';
import { startPostgres } from '../../tools/postgres.ts';
import { fill } from '../engine/fill.ts';
import { idleRss } from '../engine/idle.ts';
import { bundle } from '../engine/product.ts';
import { DAY_MS, POSTGRES } from '../engine/settings.ts';
import { Table } from '../engine/table.ts';
import type { PoolLook, PoolOrder } from './pool-process.ts';

const number = (name: string, normal: number): number => Number(process.env[name] || normal);
/** Workspaces awake in one process, runs that come due an hour in each, seconds per round. */
const TENANTS = number('TENANTS', 1_000);
const PER_HOUR = number('PER_HOUR', 50);
const SECONDS = number('SECONDS', 120);
/** Due runs of the one that has a backlog. */
const BACKLOG = number('BACKLOG', 1_000_000);
const CONNECTIONS = number('CONNECTIONS', 16);
/** Seconds before those that count: a process that has just begun compiles what it needs. */
const WARM = number('WARM', 20);
/** Parts: wake, day, backlog, dedicated. */
const ONLY = (process.env['ONLY'] || undefined)?.split(',');
const wanted = (part: string): boolean => ONLY === undefined || ONLY.includes(part);
const MEMBER = 'ex-pool-0';
const FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=2048', '--v8-pool-size=1', '--expose-gc'];
/** What is held to, of design and product. */
const MOST_MB = 2;
const MOST_CONNECTIONS = 32;
const MOST_LATE_MS = 500;
const MOST_WAKE_MS = 30_000;
const LATE_TIMES = 3;

const clock = new SystemClock();
const table = new Table((line) => console.error(line));
const spacingMs = Math.floor(3_600_000 / PER_HOUR);

/** The one process that serves all. */
class Pool {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(app: Database, order: PoolOrder): Promise<Pool> {
    const program = await bundle(join(new URL('.', import.meta.url).pathname, 'pool-process.ts'), 'pool');
    const env = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1', PATH: process.env['PATH'] };
    const child = fork(program, [JSON.stringify(order)], { env, execArgv: FLAGS });
    const broker = new LeaseBroker(new LeaseDesk(app, clock), createLogger('bench', 'error'));
    broker.attach(child, { podUid: 'bench-pool', role: 'pool', member: MEMBER });
    return new Pool(child);
  }

  look(): Promise<PoolLook> {
    return new Promise((resolve) => {
      const hear = (message: { type?: string; look?: PoolLook }): void => {
        if (message.type !== 'look' || !message.look) return;
        this.#child.off('message', hear);
        resolve(message.look);
      };
      this.#child.on('message', hear);
      this.#child.send('look');
    });
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.send('stop');
    await gone;
  }
}

/** When the run of a person (1, 2 …) of a workspace is due: workspaces come one after another within the spacing. */
const dueAt = (from: number, index: number, person: number): number =>
  from - spacingMs + Math.floor((index * spacingMs) / TENANTS) + person * spacingMs;

interface Group {
  name: string;
  from: number;
  ids: string[];
}

/** Workspaces whose runs come due from `from` on, for `seconds`; `person` 1 is due in the first spacing. */
async function workspaces(superuserUrl: string, name: string, from: number, seconds: number): Promise<Group> {
  const runs = Math.max(1, Math.ceil((seconds * 1_000) / spacingMs));
  const ids: string[] = [];
  for (let index = 0; index < TENANTS; index++) {
    const workspaceId = `${name}-${index}`;
    const plan = { workspaceId, accounts: 2, from: dueAt(from, index, 0), spacingMs, waitMs: 300 * DAY_MS };
    await fill(superuserUrl, 'effects', runs, plan, { settle: false });
    ids.push(workspaceId);
  }
  return { name, from, ids };
}

/** Sorted ms from due to effect, of what was due once all was warm. */
function lateness({ name, from }: Group, acted: PoolLook['acted']): number[] {
  return acted
    .flatMap(([workspaceId, person, at]) => {
      if (!workspaceId.startsWith(`${name}-`)) return [];
      const due = dueAt(from, Number(workspaceId.slice(name.length + 1)), person);
      return due < from + 1_000 * WARM ? [] : [at - due];
    })
    .sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

async function seatAll(app: Database, ids: readonly string[]): Promise<void> {
  await app.tx({ kind: 'platform' }, (tx) => seat(tx, new Map(ids.map((id) => [id, MEMBER]))));
}

async function awake(pool: Pool, count: number): Promise<void> {
  while ((await pool.look()).working < count) await sleepReal(200);
}

/** Transactions of the product's database so far, and connections that the executors' login has at the server. */
async function transactions(app: Database): Promise<number> {
  const row = await app.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ n: number }>(`select xact_commit::float8 as n from pg_stat_database where datname = current_database()`),
  );
  return row?.n ?? 0;
}

async function connections(app: Database): Promise<number> {
  const row = await app.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ n: number }>(`select count(*)::int as n from pg_stat_activity where usename = 'outrider_executor'`),
  );
  return row?.n ?? 0;
}

interface Stage {
  superuserUrl: string;
  app: Database;
  pool: Pool;
}

/** Nobody is seated any more, and all have given their claims back. */
async function empty({ app, pool }: Stage): Promise<void> {
  await app.tx({ kind: 'platform' }, async (tx) => {
    for (const id of (await allSeats(tx)).keys()) await unseat(tx, id);
  });
  while ((await pool.look()).working > 0) await sleepReal(200);
}

/**
 * Nine in the morning: something is due in each, and nobody is awake. They were the day before: what is looked at once after a start of
 * Postgres is behind them.
 */
async function wakeAll(stage: Stage): Promise<void> {
  const { superuserUrl, app, pool } = stage;
  const waking = await workspaces(superuserUrl, 'wake', clock.now() + 1_000 * (30 + TENANTS / 5), 1);
  await seatAll(app, waking.ids);
  await awake(pool, TENANTS);
  await sleepReal(10_000);
  await empty(stage);
  await sleepReal(Math.max(0, waking.from + spacingMs - clock.now()));
  const since = clock.now();
  await seatAll(app, waking.ids);
  const woken = new Map<string, number>();
  while (woken.size < TENANTS && clock.now() - since < 4 * MOST_WAKE_MS) {
    for (const [id, , acted] of (await pool.look()).acted) if (!woken.has(id)) woken.set(id, acted - since);
    await sleepReal(200);
  }
  const wakes = [...woken.values()].sort((a, b) => a - b);
  table.add('wake_p50_ms', at(wakes, 0.5), 'ms');
  table.add('wake_p99_ms', at(wakes, 0.99), 'ms');
  const all = woken.size === TENANTS && (wakes.at(-1) ?? 0) <= MOST_WAKE_MS;
  table.hold(`all ${TENANTS} act within 30 s of the wake (${woken.size} did, the last after ${wakes.at(-1)} ms)`, all);
  await empty(stage);
}

interface Day {
  late: number[];
  connections: number;
  rssMb: number;
  heapMb: number;
  cores: number;
  transactions: number;
  steps: number;
}

/** Runs come due evenly in all workspaces, and in `others` whatever is due there. */
async function day({ superuserUrl, app, pool }: Stage, name: string, others: readonly string[] = []): Promise<Day> {
  const seconds = WARM + SECONDS;
  const group = await workspaces(superuserUrl, name, clock.now() + 1_000 * (20 + TENANTS / 10), seconds);
  await seatAll(app, [...group.ids, ...others]);
  await awake(pool, TENANTS + others.length);
  await sleepReal(Math.max(0, group.from - clock.now()) + 1_000 * WARM);
  const began = await pool.look();
  const committed = await transactions(app);
  await sleepReal(500 * SECONDS);
  const most = await connections(app);
  await sleepReal(500 * SECONDS + 1_000);
  const ended = await pool.look();
  return {
    late: lateness(group, [...began.acted, ...ended.acted]),
    connections: most,
    rssMb: ended.rssMb,
    heapMb: ended.heapMb,
    cores: (ended.cpuSeconds - began.cpuSeconds) / (SECONDS + 1),
    transactions: ((await transactions(app)) - committed) / (SECONDS + 1),
    steps: (ended.steps - began.steps) / (SECONDS + 1),
  };
}

function tellDay(quiet: Day, base: PoolLook): void {
  const { late, connections: most, rssMb, heapMb, cores } = quiet;
  const each = (rssMb - base.rssMb) / TENANTS;
  table.add('awake_mb_each', each, 'MB');
  table.add('awake_heap_mb_each', (heapMb - base.heapMb) / TENANTS, 'MB');
  table.add('server_connections', most, '');
  table.add('process_cores', cores, '');
  table.add('transactions', quiet.transactions, '1/s');
  table.add('effects', late.length, '');
  table.add('due_to_effect_p50_ms', at(late, 0.5), 'ms');
  table.add('due_to_effect_p99_ms', at(late, 0.99), 'ms');
  table.hold(`at most ${MOST_MB} MB for each that is awake`, each <= MOST_MB);
  table.hold(`at most ${MOST_CONNECTIONS} connections`, most <= MOST_CONNECTIONS);
  table.hold(`p99 from due to effect within ${MOST_LATE_MS} ms`, at(late, 0.99) <= MOST_LATE_MS);
  table.hold(`nothing leaves before it is due (${at(late, 0)} ms)`, at(late, 0) >= 0);
}

/** The same day beside one whose backlog never ends. */
async function besideBacklog(stage: Stage, quiet: Day | undefined): Promise<void> {
  const plan = { workspaceId: 'backlog', from: clock.now() - DAY_MS, spacingMs: 0, waitMs: 1_000, accounts: 10 };
  const hog = await fill(stage.superuserUrl, 'plain', BACKLOG, plan);
  const { late, steps } = await day(stage, 'beside', [hog.workspaceId]);
  table.add('beside_backlog_effects', late.length, '');
  table.add('beside_backlog_p50_ms', at(late, 0.5), 'ms');
  table.add('beside_backlog_p99_ms', at(late, 0.99), 'ms');
  table.add('backlog_steps', steps, '1/s');
  if (!quiet) return;
  const limit = Math.max(100, LATE_TIMES * at(quiet.late, 0.99));
  table.hold(`p99 beside the backlog within ${limit.toFixed(0)} ms`, at(late, 0.99) <= limit);
}

/** On paper: what pods of their own take, by one that is measured. */
async function dedicated({ superuserUrl }: Stage, urls: Parameters<typeof idleRss>[0]): Promise<string> {
  const own = await fill(superuserUrl, 'plain', 10, { workspaceId: 'own', accounts: 2 });
  const each = await idleRss(urls, own.workspaceId);
  table.add('dedicated_rss_mb', each, 'MB');
  return `on paper, ${TENANTS} pods of their own: ${((each * TENANTS) / 1_024).toFixed(1)} GB and ${2 * TENANTS} connections`;
}

const postgres = await startPostgres(POSTGRES);
const urls = await postgres.product();
const app = new Database({ url: urls.appUrl, max: 8, applicationName: 'bench' });
const bouncer = await startBouncer(urls.executorUrl, {
  default_pool_size: CONNECTIONS,
  max_client_conn: 4 * CONNECTIONS,
});
if (!bouncer) console.error('no PgBouncer is to be had here; the pool connects to Postgres itself');
const pool = await Pool.start(app, {
  url: bouncer?.url ?? urls.executorUrl,
  pooled: bouncer !== undefined,
  connections: CONNECTIONS,
});
const stage = { superuserUrl: urls.superuserUrl, app, pool };
try {
  await sleepReal(3_000);
  const base = await pool.look();
  table.add('base_rss_mb', base.rssMb, 'MB');
  if (wanted('wake')) await wakeAll(stage);
  const quiet = wanted('day') ? await day(stage, 'quiet') : undefined;
  if (quiet) tellDay(quiet, base);
  await empty(stage);
  if (wanted('backlog')) await besideBacklog(stage, quiet);
  const paper = wanted('dedicated') ? await dedicated(stage, urls) : '';
  console.log(table.text());
  if (paper) console.log(paper);
  if (process.env['OUT']) await writeFile(process.env['OUT'], `${JSON.stringify(table.rows(), null, 1)}\n`);
} finally {
  await pool.stop();
  await bouncer?.stop();
  await app.close();
  await postgres.stop();
}
if (!table.sound) process.exitCode = 1;
