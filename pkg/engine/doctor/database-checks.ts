import { DUE_ENTRIES } from '../../store/runs/due-plan.ts';
import { ago, type DoctorCheck, type Finding, notice, problem } from './finding.ts';

/** Dead rows that vacuum should have taken: at least so many, and so many times what autovacuum waits for in that table. */
const DEAD_ROWS = 10_000;
const DEAD_TIMES = 2;
/** A transaction that is open for longer keeps vacuum from its work (seconds). */
const OLD_TRANSACTION_S = 600;
/** Below this a sequential scan of the runs is the right plan. */
const MANY_RUNS = 10_000;
const MAX_ROWS = 20;

/** Tables full of dead rows. */
export const bloat: DoctorCheck = {
  name: 'tables are vacuumed',
  async run({ tx }): Promise<Finding[]> {
    const tables = await tx.rows<{ name: string; dead: number; live: number; vacuumed: string | null }>(
      `select
         schemaname || '.' || relname as name,
         n_dead_tup::float8 as dead,
         n_live_tup::float8 as live,
         to_char(greatest(last_vacuum, last_autovacuum), 'YYYY-MM-DD HH24:MI') as vacuumed
       from pg_stat_user_tables s
       cross join lateral (
         select jsonb_object_agg(o.option_name, o.option_value) as own
         from pg_class c
         cross join lateral pg_options_to_table(c.reloptions) o
         where c.oid = s.relid
       ) t
       where schemaname in ('outrider', 'app')
         and n_dead_tup > greatest(
           $1,
           $2 * (
             coalesce(
               t.own ->> 'autovacuum_vacuum_threshold',
               current_setting('autovacuum_vacuum_threshold')
             )::float8 + coalesce(
               t.own ->> 'autovacuum_vacuum_scale_factor',
               current_setting('autovacuum_vacuum_scale_factor')
             )::float8 * n_live_tup
           )
         )
       order by n_dead_tup desc limit $3`,
      [DEAD_ROWS, DEAD_TIMES, MAX_ROWS],
    );
    return tables.map(({ name, dead, live, vacuumed }) =>
      problem(
        'bloat',
        `${name} holds ${dead} dead rows beside ${live} live ones; it was vacuumed ${vacuumed ? `at ${vacuumed}` : 'never'}.`,
        `Run vacuum (analyze) ${name} and see that autovacuum is on and keeps up.`,
      ),
    );
  },
};

/** Transactions that were left open: the one who writes may wait for them, and vacuum does. */
export const oldTransactions = transactionsOpenFor(OLD_TRANSACTION_S);

/** @param seconds for which a transaction may be open */
export function transactionsOpenFor(seconds: number): DoctorCheck {
  return {
    name: 'no transaction is left open',
    async run({ tx }): Promise<Finding[]> {
      // To any other role Postgres shows neither since when nor in what state the sessions of others are.
      const self = await tx.row<{ name: string; sees: boolean }>(
        `select current_user::text as name, pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees`,
      );
      const old = await tx.rows<{ pid: number; application_name: string; seconds: number; state: string }>(
        `select
           pid,
           application_name,
           state,
           extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
         from pg_stat_activity
         where datname = current_database()
           and backend_type = 'client backend'
           and pid <> pg_backend_pid()
           and xact_start < clock_timestamp() - make_interval(secs => $1)
         order by xact_start limit $2`,
        [seconds, MAX_ROWS],
      );
      const found = old.map((row) =>
        problem(
          'old_transaction',
          `Session ${row.pid} (${row.application_name || 'unnamed'}, ${row.state}) has had a transaction open for ${ago(row.seconds * 1_000)}; dead rows pile up behind it.`,
          `End it where it comes from, or with select pg_terminate_backend(${row.pid}).`,
        ),
      );
      if (self?.sees) return found;
      return [
        ...found,
        notice(
          'hidden_sessions',
          `Transactions that others left open can not be seen by the role ${self?.name}.`,
          `As a superuser run: grant pg_read_all_stats to ${self?.name}.`,
        ),
      ];
    },
  };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

/** The query that looks for due runs, which must not read them all. */
export const duePlan: DoctorCheck = {
  name: 'due runs are found by an index',
  async run({ tx, product }): Promise<Finding[]> {
    const size = await tx.row<{ rows: number }>(
      `select coalesce(sum(greatest(c.reltuples, s.n_live_tup)), 0)::float8 as rows
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       left join pg_stat_user_tables s on s.relid = c.oid
       where n.nspname = 'outrider'
         and c.relkind = 'r'
         and c.relname like 'run%'
         and c.relname not like 'run\\_event%'`,
    );
    if ((size?.rows ?? 0) < MANY_RUNS) return [];
    const busiest = await tx.row<{ id: string }>(
      `select workspace_id as id from run where due_at is not null group by 1 order by count(*) desc limit 1`,
    );
    // As the engine asks.
    await tx.exec('select app.find_by_index()');
    const [plan] = await tx.rows<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json) ${DUE_ENTRIES}`, [
      busiest?.id ?? '',
      Number.MIN_SAFE_INTEGER,
      product,
      0,
      1,
      50,
    ]);
    const wrong = plan ? wrongStep(plan['QUERY PLAN'][0]?.Plan, 'agenda') : undefined;
    if (!wrong) return [];
    const { table, does } = wrong;
    return [
      problem(
        'due_plan',
        `The query for due runs ${does}; every step gets slower as leads pile up.`,
        `Run analyze outrider.${table}; if that does not help, see whether its index on (workspace_id, due_at, lane) is there: \\d outrider.${table}.`,
      ),
    ];
  },
};

/** The first step of a plan that does not find its rows in order by an index. @param table whose rows come from below, when nothing says so */
function wrongStep(node: PlanNode | undefined, table: string): { table: string; does: string } | undefined {
  if (!node) return undefined;
  const relation = node['Relation Name'] ?? '';
  if (node['Node Type'] === 'Seq Scan' && /^(run|agenda)/.test(relation)) {
    return { table: relation, does: `reads the whole table ${relation} instead of an index` };
  }
  for (const below of node.Plans ?? []) {
    const found = wrongStep(below, table);
    if (found) return found;
  }
  return node['Node Type'] === 'Sort' ? { table, does: 'sorts all that is due before it takes the oldest' } : undefined;
}

/** Rows that wait in the default partition of the history: at least so many mean that months are not opened. */
const STRAY_EVENTS = 10_000;

/** History outside its months, which retention has to delete row by row. */
export const eventMonths: DoctorCheck = {
  name: 'history lies in its months',
  async run({ tx }): Promise<Finding[]> {
    const row = await tx.row<{ stray: number }>(
      'select count(*)::int as stray from (select 1 from run_event_default limit $1) x',
      [STRAY_EVENTS],
    );
    if ((row?.stray ?? 0) < STRAY_EVENTS) return [];
    return [
      problem(
        'event_months',
        `${STRAY_EVENTS} or more lines of history lie outside their months; retention deletes them row by row.`,
        'See why executors can not open months: "a month of history is not open yet" in their logs. Opening one moves its lines.',
      ),
    ];
  },
};

/** What REINDEX CONCURRENTLY calls the index that it builds, and the one that it has replaced. Source: PostgreSQL, REINDEX. */
const BESIDE = /_cc(new|old)\d*$/;

/** Indexes that a failed build left behind: they cost with each write and serve no query. One that is being built is none of them. */
export const invalidIndexes: DoctorCheck = {
  name: 'all indexes are valid',
  async run({ tx }): Promise<Finding[]> {
    const rows = await tx.rows<{ name: string }>(
      `select n.nspname || '.' || c.relname as name
       from pg_index i
       join pg_class c on c.oid = i.indexrelid
       join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('outrider', 'app')
         and not (i.indisvalid and i.indisready)
         and not exists (
           select 1
           from pg_stat_progress_create_index p
           where p.datname = current_database() and p.relid = i.indrelid
         )
       order by 1 limit $1`,
      [MAX_ROWS],
    );
    return rows.map(({ name }) =>
      problem(
        'invalid_index',
        `The index ${name} was not built to its end.`,
        BESIDE.test(name)
          ? `A rebuilding left it behind beside the one that it was for: drop index concurrently ${name}.`
          : `Build it again: reindex index concurrently ${name}.`,
      ),
    );
  },
};
