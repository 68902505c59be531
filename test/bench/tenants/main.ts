import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SystemClock, sleepReal } from '../../../pkg/base/clock.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { LeaseBroker } from '../../../pkg/standalone/node-agent/lease-broker.ts';
import { LeaseDesk } from '../../../pkg/store/leases/lease-desk.ts';
import { seat } from '../../../pkg/store/leases/seats.ts';
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

/** Sorted ms from due to effect. */
function lateness({ name, from }: Group, acted: PoolLook['acted']): number[] {
  const own = acted.filter(([workspaceId]) => workspaceId.startsWith(`${name}-`));
  return own
    .map(([workspaceId, person, at]) => at - dueAt(from, Number(workspaceId.slice(name.length + 1)), person))
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

/** Connections that the executors' login has at the server. */
async function connections(app: Database): Promise<number> {
  const row = await app.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ n: number }>(`select count(*)::int as n from pg_stat_activity where usename = 'outrider_executor'`),
  );
  return row?.n ?? 0;
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
try {
  // The wake: everything is due at once, nobody is awake.
  const waking = await workspaces(urls.superuserUrl, 'wake', clock.now() - spacingMs, 1);
  await sleepReal(3_000);
  const base = await pool.look();
  table.add('base_rss_mb', base.rssMb, 'MB');
  const wokeAt = clock.now();
  await seatAll(app, waking.ids);
  const woken = new Map<string, number>();
  while (woken.size < TENANTS && clock.now() - wokeAt < 4 * MOST_WAKE_MS) {
    for (const [id, , acted] of (await pool.look()).acted) if (!woken.has(id)) woken.set(id, acted - wokeAt);
    await sleepReal(200);
  }
  const wakes = [...woken.values()].sort((a, b) => a - b);
  table.add('wake_p50_ms', at(wakes, 0.5), 'ms');
  table.add('wake_all_ms', wakes.at(-1) ?? Number.NaN, 'ms');
  table.hold(
    `all ${TENANTS} act within 30 s of the wake (${woken.size} did)`,
    woken.size === TENANTS && (wakes.at(-1) ?? 0) <= MOST_WAKE_MS,
  );
  await app.tx({ kind: 'platform' }, (tx) => tx.exec('delete from pool_seat'));
  while ((await pool.look()).working > 0) await sleepReal(200);

  // A working day: runs come due evenly.
  const quiet = await workspaces(urls.superuserUrl, 'quiet', clock.now() + 1_000 * (20 + TENANTS / 20), SECONDS);
  await seatAll(app, quiet.ids);
  await awake(pool, TENANTS);
  await sleepReal(Math.max(0, quiet.from - clock.now()));
  const began = await pool.look();
  await sleepReal((SECONDS * 1_000) / 2);
  const most = await connections(app);
  await sleepReal((SECONDS * 1_000) / 2 + 1_000);
  const ended = await pool.look();
  const late = lateness(quiet, [...began.acted, ...ended.acted]);
  table.add('awake_mb_each', (ended.rssMb - base.rssMb) / TENANTS, 'MB');
  table.add('awake_heap_mb_each', (ended.heapMb - base.heapMb) / TENANTS, 'MB');
  table.add('server_connections', most, '');
  table.add('cpu_cores', (ended.cpuSeconds - began.cpuSeconds) / (SECONDS + 1), '');
  table.add('effects', late.length, '');
  table.add('due_to_effect_p50_ms', at(late, 0.5), 'ms');
  table.add('due_to_effect_p99_ms', at(late, 0.99), 'ms');
  table.hold(`at most ${MOST_MB} MB for each that is awake`, (ended.rssMb - base.rssMb) / TENANTS <= MOST_MB);
  table.hold(`at most ${MOST_CONNECTIONS} connections`, most <= MOST_CONNECTIONS);
  table.hold(`p99 from due to effect within ${MOST_LATE_MS} ms`, at(late, 0.99) <= MOST_LATE_MS);
  table.hold(`nothing leaves before it is due (${at(late, 0)} ms)`, at(late, 0) >= 0);

  // The same beside one with a backlog that never ends.
  const hog = await fill(urls.superuserUrl, 'plain', BACKLOG, {
    workspaceId: 'backlog',
    from: clock.now() - DAY_MS,
    spacingMs: 0,
    waitMs: 1_000,
    accounts: 10,
  });
  await app.tx({ kind: 'platform' }, (tx) => tx.exec('delete from pool_seat'));
  while ((await pool.look()).working > 0) await sleepReal(200);
  const beside = await workspaces(urls.superuserUrl, 'beside', clock.now() + 1_000 * (20 + TENANTS / 20), SECONDS);
  await seatAll(app, [...beside.ids, hog.workspaceId]);
  await awake(pool, TENANTS + 1);
  await sleepReal(Math.max(0, beside.from - clock.now()));
  const before = await pool.look();
  await sleepReal(SECONDS * 1_000 + 1_000);
  const after = await pool.look();
  const held = lateness(beside, [...before.acted, ...after.acted]);
  table.add('beside_backlog_effects', held.length, '');
  table.add('beside_backlog_p50_ms', at(held, 0.5), 'ms');
  table.add('beside_backlog_p99_ms', at(held, 0.99), 'ms');
  table.add('backlog_steps', (after.steps - before.steps) / (SECONDS + 1), '1/s');
  const limit = Math.max(100, LATE_TIMES * at(late, 0.99));
  table.hold(`p99 beside the backlog within ${limit.toFixed(0)} ms`, at(held, 0.99) <= limit);

  // Beside it, on paper: what a pod of one's own takes.
  const own = await fill(urls.superuserUrl, 'plain', 10, { workspaceId: 'own', accounts: 2 });
  const dedicated = await idleRss(urls, own.workspaceId);
  table.add('dedicated_rss_mb', dedicated, 'MB');
  console.log(table.text());
  console.log(
    `on paper, ${TENANTS} pods of their own: ${Math.round((dedicated * TENANTS) / 1_024)} GB and ${2 * TENANTS} connections; measured here: ${Math.round(ended.rssMb)} MB and ${most}`,
  );
  if (process.env['OUT']) await writeFile(process.env['OUT'], `${JSON.stringify(table.rows(), null, 1)}\n`);
} finally {
  await pool.stop();
  await bouncer?.stop();
  await app.close();
  await postgres.stop();
}
if (!table.sound) process.exitCode = 1;
