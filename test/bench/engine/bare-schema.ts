import pg from 'pg';
import { ACCOUNTS, placeInTurn, type Shape, SPACING_MS, START } from './settings.ts';

/** Where the bare program's tables are and what they hold. */
export interface BarePlan {
  schema: string;
  shape: Shape;
  runs: number;
  /** Without row-level security and without the index that finds a run's history. */
  lean: boolean;
}

/** The states of the engine with nothing around them: due run, history found by run, key, budget and send. */
export async function fillBare(superuserUrl: string, plan: BarePlan): Promise<void> {
  await execute(superuserUrl, statements(plan));
}

export async function dropBare(superuserUrl: string, schema: string): Promise<void> {
  await execute(superuserUrl, [`drop schema ${schema} cascade`]);
}

async function execute(superuserUrl: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The workspaces (of a schema each) whose claim tokens open the rows. */
export const BARE_WORKSPACE = 'bench-bare';

function statements({ schema, shape, runs, lean }: BarePlan): string[] {
  const workspaceId = `${BARE_WORKSPACE}-${schema}`;
  const tables = ['run', 'run_event', 'send', 'send_key', 'budget'];
  const secured = lean
    ? []
    : tables.flatMap((table) => [
        `alter table ${schema}.${table} enable row level security`,
        `alter table ${schema}.${table} force row level security`,
        `create policy own on ${schema}.${table} to outrider_executor using (workspace_id = (select app.workspace())) with check (workspace_id = (select app.workspace()))`,
      ]);
  return [
    `create schema ${schema}`,
    `create table ${schema}.run (id uuid primary key, workspace_id text not null, account_id int not null, node int not null, due_at bigint, send_id uuid)
       with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
    `create table ${schema}.run_event (workspace_id text not null, run_id uuid not null, seq bigint generated always as identity, at bigint not null, node int not null, outcome smallint not null)`,
    ...(lean
      ? [`create index on ${schema}.run_event using brin (at)`]
      : [`create index on ${schema}.run_event (run_id, seq)`]),
    `create table ${schema}.send (id uuid primary key, workspace_id text not null, run_id uuid not null, account_id int not null, state text not null, at bigint not null) with (fillfactor = 70)`,
    `create index on ${schema}.send (workspace_id, state) where state in ('claimed', 'dispatched')`,
    `create table ${schema}.send_key (workspace_id text not null, key text primary key, send_id uuid not null)`,
    `create table ${schema}.budget (workspace_id text not null, account_id int primary key, used int not null, cap int not null) with (fillfactor = 50)`,
    `insert into ${schema}.run select uuidv7(), '${workspaceId}', g % ${ACCOUNTS}, ${placeInTurn(shape)}, ${START} + g * ${SPACING_MS}::bigint, null from generate_series(1, ${runs}) g`,
    `create index on ${schema}.run (workspace_id, due_at) where due_at is not null`,
    `insert into ${schema}.budget select '${workspaceId}', g, 0, 2000000000 from generate_series(0, ${ACCOUNTS - 1}) g`,
    ...secured,
    `grant usage on schema ${schema} to outrider_executor`,
    `grant all on all tables in schema ${schema} to outrider_executor`,
    `vacuum analyze ${schema}.run`,
    'checkpoint',
  ];
}
