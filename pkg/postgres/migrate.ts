import type pg from 'pg';
import { sleepReal } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { applyByNeed, checkBodies } from './apply-by-need.ts';
import { OwnClient } from './own-client.ts';
import { OWNER_SESSION, sessionOf } from './session-settings.ts';
import type { FunctionSet, Migration } from './sql-files.ts';

/** Lock that keeps two migrators apart (arbitrary constant, "outrider"). */
const LOCK = 0x0717_1de5;

/**
 * A change of a table waits for the one who uses it, and everybody who comes later waits behind the change: for a second at most,
 * then they go first and it is tried again. A backup, which reads all tables, may so take nine minutes.
 */
const WAIT_FOR_LOCK_MS = 1_000;
const PAUSE_MS = 4_000;
const LOCK_TRIES = 110;
/** lock_not_available, deadlock_detected. */
const LOCKED = new Set(['55P03', '40P01']);

/** A migration that was applied. */
interface Applied {
  version: number;
  name: string;
  checksum: string;
}

const NO_FUNCTIONS: FunctionSet = { files: [], checksum: '' };

/**
 * Applies what is missing, each migration in its own transaction, then the functions when they are not the ones that were applied
 * last; under an advisory lock. In an empty database the functions come with the first migration, whose tables use them.
 * @returns names of the migrations that were applied
 * @throws UserError when an applied migration changed, or the database is of a newer version than this program
 */
export async function migrate(
  ownerUrl: string,
  migrations: Migration[],
  functions: FunctionSet = NO_FUNCTIONS,
): Promise<string[]> {
  const client = new OwnClient({ ...sessionOf(ownerUrl, OWNER_SESSION), connectionTimeoutMillis: 10_000 });
  // A connection that is lost fails its query; its own event, unheard, would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const applied = await whatWasApplied(client);
    refuseUnknown(applied, migrations);
    const done: string[] = [];
    for (const migration of migrations) {
      const before = applied.find(({ version }) => version === migration.version);
      if (before) {
        refuseChanged(before.checksum, migration);
        continue;
      }
      const empty = applied.length === 0 && done.length === 0;
      if (!empty && (await standsForApplied(client, migration, applied))) continue;
      await inTurn(migration.name, () => applyOne(client, migration, empty ? functions : NO_FUNCTIONS));
      done.push(migration.name);
    }
    await inTurn('of functions', () => applyFunctions(client, functions));
    return done;
  } finally {
    await client.end();
  }
}

async function whatWasApplied(client: pg.Client): Promise<Applied[]> {
  await client.query(`create table if not exists public.outrider_migration (
                        version int primary key,
                        name text not null,
                        checksum text not null,
                        applied_at timestamptz not null default now()
                      )`);
  await client.query(`create table if not exists public.outrider_function_set (
    checksum text primary key, applied_at timestamptz not null default now())`);
  const { rows } = await client.query<Applied>(
    'select version, checksum, name from public.outrider_migration order by version',
  );
  return rows;
}

/** Once the one who holds what it changes lets it have it. */
async function inTurn(name: string, apply: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await apply();
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      if (!LOCKED.has(code) || attempt >= LOCK_TRIES) {
        throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
      }
    }
    await sleepReal(PAUSE_MS);
  }
}

async function applyOne(client: pg.Client, migration: Migration, functions: FunctionSet): Promise<void> {
  await transaction(client, async () => {
    const waiting = await applyByNeed(client, [...functions.files, ...migration.files]);
    // A function of a later migration's table waits for it.
    const lacking = waiting.find(({ file }) => migration.files.includes(file));
    if (lacking) throw lacking.error;
    await record(client, migration);
  });
}

async function record(client: pg.Client, { version, name, checksum }: Migration): Promise<void> {
  await client.query('insert into public.outrider_migration (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum,
  ]);
}

/** A migration that stands for what the database has already is recorded only. @throws UserError when it has a part of that */
async function standsForApplied(client: pg.Client, migration: Migration, applied: Applied[]): Promise<boolean> {
  const { replaces } = migration;
  if (!replaces) return false;
  const earlier = applied.filter(({ version }) => version < migration.version);
  if (earlier.length !== replaces.count || earlier.at(-1)?.name !== replaces.last) {
    throw new UserError(
      `The database was made by a development version of Outrider (${earlier.at(-1)?.name}, ${earlier.length} of ${replaces.count} migrations). Run "outrider migrate" of commit ${replaces.program} once, then this program again.`,
      'OlderDatabase',
    );
  }
  await record(client, migration);
  return true;
}

async function applyFunctions(client: pg.Client, { files, checksum, afterwards }: FunctionSet): Promise<void> {
  const newest = await client.query<{ checksum: string }>(
    'select checksum from public.outrider_function_set order by applied_at desc limit 1',
  );
  if (files.length === 0 || newest.rows[0]?.checksum === checksum) return;
  await transaction(client, async () => {
    const [lacking] = await applyByNeed(client, files);
    if (lacking) throw new Error(`${lacking.file.name}: ${lacking.error.message}`, { cause: lacking.error });
    await checkBodies(client, files);
    if (afterwards) await client.query(afterwards);
    await client.query(
      `insert into public.outrider_function_set (checksum) values ($1)
       on conflict (checksum) do update set applied_at = excluded.applied_at`,
      [checksum],
    );
  });
}

async function transaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${WAIT_FOR_LOCK_MS}`);
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

function refuseUnknown(applied: Applied[], migrations: Migration[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const ahead = applied.find((row) => row.version > newest);
  if (!ahead) return;
  throw new UserError(
    `The database is of a newer version (migration ${ahead.name}) than this program. Run the newer version of Outrider, or use another data folder.`,
    'NewerDatabase',
  );
}

function refuseChanged(checksum: string, migration: Migration): void {
  if (checksum === migration.checksum) return;
  throw new UserError(
    `Migration ${migration.name} was changed after it had been applied. Restore the file and put the change into a new migration.`,
    'MigrationChanged',
  );
}
