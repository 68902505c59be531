import pg from 'pg';
import { ACCOUNTS, placeInTurn, type Shape, SPACING_MS, START } from './settings.ts';

/**
 * The states of the engine with nothing around them: due run, history found by run, key, budget and send.
 * `lean`: without row-level security and without the index that finds a run's history.
 */
export async function fillBare(superuserUrl: string, shape: Shape, runs: number, lean: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    for (const statement of statements(shape, runs, lean)) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The workspace whose claim token opens the rows. */
export const BARE_WORKSPACE = 'bench-bare';

function statements(shape: Shape, runs: number, lean: boolean): string[] {
  const tables = ['run', 'run_event', 'send', 'send_key', 'budget'];
  const secured = lean
    ? []
    : tables.flatMap((table) => [
        `alter table bare.${table} enable row level security`,
        `alter table bare.${table} force row level security`,
        `create policy own on bare.${table} to outrider_executor using (workspace_id = (select app.workspace())) with check (workspace_id = (select app.workspace()))`,
      ]);
  return [
    'drop schema if exists bare cascade',
    'create schema bare',
    `create table bare.run (id uuid primary key, workspace_id text not null, account_id int not null, node int not null, due_at bigint, send_id uuid)
       with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`,
    `create table bare.run_event (workspace_id text not null, run_id uuid not null, seq bigint generated always as identity, at bigint not null, node int not null, outcome smallint not null)`,
    ...(lean ? ['create index on bare.run_event using brin (at)'] : ['create index on bare.run_event (run_id, seq)']),
    `create table bare.send (id uuid primary key, workspace_id text not null, run_id uuid not null, account_id int not null, state text not null, at bigint not null) with (fillfactor = 70)`,
    `create index on bare.send (workspace_id, state) where state in ('claimed', 'dispatched')`,
    'create table bare.send_key (workspace_id text not null, key text primary key, send_id uuid not null)',
    'create table bare.budget (workspace_id text not null, account_id int primary key, used int not null, cap int not null) with (fillfactor = 50)',
    `insert into bare.run select uuidv7(), '${BARE_WORKSPACE}', g % ${ACCOUNTS}, ${placeInTurn(shape)}, ${START} + g * ${SPACING_MS}::bigint, null from generate_series(1, ${runs}) g`,
    'create index on bare.run (workspace_id, due_at) where due_at is not null',
    `insert into bare.budget select '${BARE_WORKSPACE}', g, 0, 2000000000 from generate_series(0, ${ACCOUNTS - 1}) g`,
    ...secured,
    'grant usage on schema bare to outrider_executor',
    'grant all on all tables in schema bare to outrider_executor',
    'vacuum analyze bare.run',
    'checkpoint',
  ];
}
