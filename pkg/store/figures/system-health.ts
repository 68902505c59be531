import type { Tx } from '../../postgres/database.ts';
import { wakeAge } from '../runs/wake.ts';
import { type FleetFigure, type FleetFigureName, readFleet } from './fleet-figures.ts';

export type HealthStatus = 'ok' | 'degraded' | 'down';

/** A part of the installation, as it is now. */
export interface ComponentHealth {
  name: string;
  status: HealthStatus;
  /** For people. */
  detail: string;
  /** Epoch ms, real time; null: nobody saw it before. */
  since: number | null;
  /** Page that says what to do, in the repository. */
  runbook: string;
}

/** Both times, epoch ms. */
interface Now {
  product: number;
  real: number;
}

interface Finding {
  status: HealthStatus;
  detail: string;
}

interface Check {
  name: string;
  runbook: string;
  look(tx: Tx, now: Now, fleet: Fleet): Promise<Finding> | Finding;
}

/** What the gauges show too, read once for all checks. */
class Fleet {
  readonly #figures: readonly FleetFigure[];

  constructor(figures: readonly FleetFigure[]) {
    this.#figures = figures;
  }

  /** Over all kinds of it, but for `without`. */
  sum(name: FleetFigureName, without?: string): number {
    const counted = this.#figures.filter((figure) => figure.name === name && figure.label !== without);
    return counted.reduce((sum, { value }) => sum + value, 0);
  }
}

/** The leader looks every quarter of a minute; without a sign of life for longer than this (s) there is none. */
const SILENT_S = 60;
/** Work that waits for longer has nobody who does it (ms). */
const LATE_MS = 120_000;
/** Share of the connections from which on others have to wait. */
const CONNECTIONS_SHARE = 0.9;
/** Share of the actions of an hour that failed at a provider, and from how many on it counts. */
const FAILED_SHARE = 0.2;
const FAILED_AMONG = 10;
const HOUR_MS = 3_600_000;
/** Clocks that differ by more confuse expiries (ms). */
const SKEW_MS = 2_000;

/** What the leader writes its sign of life under. */
const OPERATOR = 'operator';

/**
 * How the parts of the installation are: controllers, executors, queues, accounts and providers, budgets, clocks. Reads indexes and
 * small tables, what the gauges show in one statement. For a platform transaction, or as the owner of the schema.
 */
export async function readSystemHealth(tx: Tx, now: Now): Promise<ComponentHealth[]> {
  const known = await tx.rows<{ name: string; status: HealthStatus; since: number }>(
    'select name, status, (extract(epoch from since) * 1000)::bigint as since from component_state',
  );
  const fleet = new Fleet(await readFleet(tx, now.product));
  const components: ComponentHealth[] = [];
  for (const { name, runbook, look } of CHECKS) {
    const found = await look(tx, now, fleet);
    const before = known.find((one) => one.name === name);
    const since = before?.status === found.status ? before.since : found.status === 'ok' ? null : now.real;
    components.push({ name, ...found, since, runbook: `docs/runbooks/${runbook}.md` });
  }
  return components;
}

/** Keeps since when each part is as it is. The leader's; for a platform transaction. */
export async function keepSystemHealth(tx: Tx, now: Now): Promise<void> {
  const components = await readSystemHealth(tx, now);
  const seen = components.map(({ name, status }) => ({ name, status: name === OPERATOR ? 'ok' : status }));
  await tx.exec(
    `insert into component_state as c (name, status)
     select name, status from json_to_recordset($1::json) as r(name text, status text)
     on conflict (name) do update set
       status = excluded.status,
       since = case when c.status = excluded.status then c.since else clock_timestamp() end,
       seen_at = clock_timestamp()`,
    [JSON.stringify(seen)],
  );
}

/** The worst of them. */
export function overallStatus(components: readonly ComponentHealth[]): HealthStatus {
  if (components.some(({ status }) => status === 'down')) return 'down';
  return components.some(({ status }) => status === 'degraded') ? 'degraded' : 'ok';
}

const fine = (detail: string): Finding => ({ status: 'ok', detail });
const when = (bad: boolean, detail: string, status: HealthStatus = 'degraded'): Finding =>
  bad ? { status, detail } : fine(detail);

async function count<T>(tx: Tx, sql: string, values: unknown[] = []): Promise<T> {
  const row = await tx.row<T>(sql, values);
  if (!row) throw new Error('counts answer one row');
  return row;
}

const CHECKS: readonly Check[] = [
  {
    name: OPERATOR,
    runbook: 'OperatorDown',
    async look(tx) {
      const row = await tx.row<{ silent: number }>(
        `select extract(epoch from clock_timestamp() - seen_at)::float8 as silent
         from component_state
         where name = '${OPERATOR}'`,
      );
      if (!row) return { status: 'down', detail: 'no leader has been here yet' };
      const text = `the leader was seen ${Math.round(row.silent)} s ago`;
      return when(row.silent > SILENT_S, text, 'down');
    },
  },
  {
    name: 'executors',
    runbook: 'WakeBacklog',
    async look(tx, { product }) {
      const { live, late, lag } = await count<{ live: number; late: number; lag: number }>(
        tx,
        `select
           (select count(*) from claim where kind = 'workspace' and expires_at > clock_timestamp())::int as live,
           count(*) filter (where age > $2)::int as late,
           coalesce(max(age), 0)::float8 as lag
         from (
           select ${wakeAge('$1')} as age
           from workspace_wake k
           join workspace w on w.id = k.workspace_id and w.operating_mode = 'Running' and w.deleted_at is null
           left join claim c on c.kind = 'workspace' and c.key = k.workspace_id
           where c.expires_at is null or c.expires_at <= clock_timestamp()
         ) waiting`,
        [product, LATE_MS],
      );
      return when(late > 0, `${live} work; ${late} workspaces wait for one, the longest for ${seconds(lag)}`);
    },
  },
  {
    name: 'queue',
    runbook: 'StepLagBudgetBurn',
    async look(tx, { product }) {
      const { late, lag } = await count<{ late: number; lag: number }>(
        tx,
        `select
           count(*) filter (where first < $1::bigint - $2::bigint)::int as late,
           coalesce(max($1::bigint - first), 0)::float8 as lag
         from claim c
         join workspace w on w.id = c.key and w.operating_mode = 'Running' and w.deleted_at is null
         cross join lateral (
           select min(a.due_at) as first from agenda a where a.workspace_id = c.key and a.due_at >= 0
         ) q
         where c.kind = 'workspace' and c.expires_at > clock_timestamp()
           and not exists (select 1 from hold h where h.kind = 'workspace' and h.id = c.key)`,
        [product, LATE_MS],
      );
      return when(late > 0, `steps of ${late} workspaces are late, the longest by ${seconds(Math.max(0, lag))}`);
    },
  },
  {
    name: 'background jobs',
    runbook: 'McpServerDown',
    async look(tx, { product }) {
      const { open, late } = await count<{ open: number; late: number }>(
        tx,
        `select count(*)::int as open,
           count(*) filter (
             where greatest(not_before, created_at) < $1::bigint - $2::bigint and holder is null
           )::int as late
         from background_job
         where status in ('queued', 'running')`,
        [product, LATE_MS],
      );
      return when(late > 0, `${open} are open; ${late} wait for a server to take them`);
    },
  },
  {
    name: 'outcomes',
    runbook: 'OutboxUnknown',
    look(_tx, _now, fleet) {
      const dead = fleet.sum('deadLetters');
      return when(dead > 0, `${fleet.sum('unknownSends')} sends are looked up; ${dead} dead letters wait for a person`);
    },
  },
  {
    name: 'accounts',
    runbook: 'AccountUnhealthy',
    look(_tx, _now, fleet) {
      const bad = fleet.sum('accounts', 'ok');
      return when(bad > 0, `${bad} of ${fleet.sum('accounts')} linked accounts can not act`);
    },
  },
  {
    name: 'account sync',
    runbook: 'AccountsUnread',
    look(_tx, _now, fleet) {
      const unread = fleet.sum('unread');
      return when(unread > 0, `${unread} accounts have not been read for half an hour`);
    },
  },
  {
    name: 'providers',
    runbook: 'AccountUnhealthy',
    async look(tx, { product }) {
      const rows = await tx.rows<{ provider: string; failed: number; settled: number }>(
        `select a.provider, count(*) filter (where s.state = 'failed')::int as failed, count(*)::int as settled
         from network_account a
         cross join lateral (
           select x.state
           from send x
           where x.account_id = a.id and x.claimed_at > $1::bigint - ${HOUR_MS} and x.state in ('failed', 'confirmed')
             and x.outcome is distinct from 'cancelled'
         ) s
         group by a.provider
         order by a.provider limit 100`,
        [product],
      );
      const bad = rows.some(({ failed, settled }) => settled >= FAILED_AMONG && failed / settled > FAILED_SHARE);
      const text = rows.map(({ provider, failed, settled }) => `${provider}: ${failed} of ${settled} failed`);
      return when(bad, text.length === 0 ? 'nothing was sent within the hour' : `within the hour ${text.join(', ')}`);
    },
  },
  {
    name: 'budgets',
    runbook: 'BudgetExhaustedEarly',
    look(_tx, _now, fleet) {
      const breached = fleet.sum('budgetOver');
      return when(breached > 0, `${breached} budgets of a day are overspent`);
    },
  },
  {
    name: 'send freezes',
    runbook: 'SendsFrozen',
    async look(tx, { product }) {
      const { frozen, all } = await count<{ frozen: number; all: boolean }>(
        tx,
        `select count(*)::int as frozen, coalesce(bool_or(scope = 'platform' and channel = ''), false) as all
         from send_freeze
         where until is null or until > $1`,
        [product],
      );
      return when(
        frozen > 0,
        all ? 'every send of the platform is frozen' : `${frozen} freezes are in force`,
        all ? 'down' : 'degraded',
      );
    },
  },
  {
    name: 'resources',
    runbook: 'ResourceStalled',
    async look(tx) {
      const { failed } = await count<{ failed: number }>(
        tx,
        `select (
           (select count(*) from workspace where deleted_at is null and reconcile ->> 'phase' = 'failed')
           + (select count(*) from campaign where deleted_at is null and reconcile ->> 'phase' = 'failed')
           + (select count(*) from workflow where deleted_at is null and reconcile ->> 'phase' = 'failed')
         )::int as failed`,
      );
      return when(failed > 0, `${failed} resources are not as they should be`);
    },
  },
  {
    name: 'audit log',
    runbook: 'AuditRecordsLost',
    async look(tx) {
      // The newest records tell it without a scan.
      const { gaps } = await count<{ gaps: number }>(
        tx,
        `select count(*)::int as gaps
         from (select outcome from audit_event order by seq desc limit 10000) newest
         where outcome = 'gap'`,
      );
      return when(gaps > 0, `${gaps} gaps among the newest 10,000 records`);
    },
  },
  {
    name: 'database',
    runbook: 'PostgresPoolSaturated',
    async look(tx) {
      const { used, most } = await count<{ used: number; most: number }>(
        tx,
        `select (select sum(numbackends) from pg_stat_database)::int as used,
           current_setting('max_connections')::int as most`,
      );
      return when(used > most * CONNECTIONS_SHARE, `${used} of ${most} connections are used`);
    },
  },
  {
    name: 'clocks',
    runbook: 'ExecutorFenced',
    async look(tx, { real }) {
      const { skew } = await count<{ skew: number }>(
        tx,
        `select (extract(epoch from clock_timestamp()) * 1000 - $1::float8)::float8 as skew`,
        [real],
      );
      return when(Math.abs(skew) > SKEW_MS, `this program and the database differ by ${Math.round(skew)} ms`);
    },
  },
];

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
