import { CLAIM_DUE } from '../../store/runs.ts';
import { ago, type DoctorCheck, type Finding, problem } from './finding.ts';

/** Dead rows that vacuum should have taken: at least so many, and more than a fifth of the live ones. */
const DEAD_ROWS = 10_000;
/** A transaction that is open for longer keeps vacuum from its work (seconds). */
const OLD_TRANSACTION_S = 600;
/** Below this a sequential scan of the runs is the right plan. */
const MANY_RUNS = 10_000;
const MAX_ROWS = 20;

/** Tables full of dead rows, and the transactions that keep them. */
export const bloat: DoctorCheck = {
  name: 'tables are vacuumed',
  async run({ tx }): Promise<Finding[]> {
    const tables = await tx.rows<{ name: string; dead: number; live: number; vacuumed: string | null }>(
      `select schemaname || '.' || relname as name, n_dead_tup::float8 as dead, n_live_tup::float8 as live,
         to_char(greatest(last_vacuum, last_autovacuum), 'YYYY-MM-DD HH24:MI') as vacuumed
       from pg_stat_user_tables where schemaname in ('outrider', 'app') and n_dead_tup > greatest($1, n_live_tup / 5)
       order by n_dead_tup desc limit $2`,
      [DEAD_ROWS, MAX_ROWS],
    );
    const old = await tx.rows<{ pid: number; application_name: string; seconds: number; state: string }>(
      `select pid, application_name, state, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
         and xact_start < clock_timestamp() - make_interval(secs => $1) order by xact_start limit $2`,
      [OLD_TRANSACTION_S, MAX_ROWS],
    );
    return [
      ...tables.map(({ name, dead, live, vacuumed }) =>
        problem(
          'bloat',
          `${name} holds ${dead} dead rows beside ${live} live ones; it was vacuumed ${vacuumed ? `at ${vacuumed}` : 'never'}.`,
          `Run vacuum (analyze) ${name} and see that autovacuum is on and keeps up.`,
        ),
      ),
      ...old.map(({ pid, application_name, seconds, state }) =>
        problem(
          'old_transaction',
          `Session ${pid} (${application_name || 'unnamed'}, ${state}) has had a transaction open for ${ago(seconds * 1_000)}; dead rows pile up behind it.`,
          `End it where it comes from, or with select pg_terminate_backend(${pid}).`,
        ),
      ),
    ];
  },
};

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
      `select coalesce(sum(greatest(c.reltuples, s.n_live_tup)), 0)::float8 as rows from pg_class c join pg_namespace n on n.oid = c.relnamespace
         left join pg_stat_user_tables s on s.relid = c.oid
       where n.nspname = 'outrider' and c.relkind = 'r' and c.relname like 'run%' and c.relname not like 'run\\_event%'`,
    );
    if ((size?.rows ?? 0) < MANY_RUNS) return [];
    const busiest = await tx.row<{ id: string }>(
      `select workspace_id as id from run where due_at is not null group by 1 order by count(*) desc limit 1`,
    );
    const [plan] = await tx.rows<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json) ${CLAIM_DUE}`, [
      busiest?.id ?? '',
      product,
      50,
      [],
    ]);
    const scan = plan ? sequentialScan(plan['QUERY PLAN'][0]?.Plan) : undefined;
    if (!scan) return [];
    return [
      problem(
        'due_plan',
        `The query for due runs reads the whole table ${scan} instead of an index; every step gets slower as leads pile up.`,
        `Run analyze outrider.${scan}; if that does not help, see whether its index on (workspace_id, due_at) is there: \\d outrider.${scan}.`,
      ),
    ];
  },
};

function sequentialScan(node: PlanNode | undefined): string | undefined {
  if (!node) return undefined;
  const relation = node['Relation Name'] ?? '';
  if (node['Node Type'] === 'Seq Scan' && /^(run|agenda)/.test(relation)) return relation;
  for (const below of node.Plans ?? []) {
    const found = sequentialScan(below);
    if (found) return found;
  }
  return undefined;
}

/** Indexes that a failed build left behind: they cost with each write and serve no query. */
export const invalidIndexes: DoctorCheck = {
  name: 'all indexes are valid',
  async run({ tx }): Promise<Finding[]> {
    const rows = await tx.rows<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('outrider', 'app') and not (i.indisvalid and i.indisready) order by 1 limit $1`,
      [MAX_ROWS],
    );
    return rows.map(({ name }) =>
      problem(
        'invalid_index',
        `The index ${name} was not built to its end.`,
        `Build it again: reindex index concurrently ${name}.`,
      ),
    );
  },
};
