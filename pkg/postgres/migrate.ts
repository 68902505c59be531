import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { sleepReal } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';

/** A numbered migration file. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

/** Lock that keeps two migrators apart (arbitrary constant, "outrider"). */
const LOCK = 0x0717_1de5;

/**
 * A change of a table waits for whoever uses it, and everybody who comes later waits behind the change: for a second at most,
 * then they go first and it is tried again. A backup, which reads all tables, may so take nine minutes.
 */
const WAIT_FOR_LOCK_MS = 1_000;
const PAUSE_MS = 4_000;
const LOCK_TRIES = 110;
/** lock_not_available, deadlock_detected. */
const LOCKED = new Set(['55P03', '40P01']);

/** Reads `NNNN_name.sql` files in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { version: Number(name.slice(0, 4)), name, sql, checksum };
    }),
  );
}

/**
 * Applies what is missing, each file in its own transaction, under an advisory lock.
 * @returns names of the migrations that were applied
 * @throws UserError when an applied file changed, or the database is of a newer version than this program
 */
export async function migrate(ownerUrl: string, migrations: Migration[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  // A connection that is lost fails its query; its own event, unheard, would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query(`create table if not exists public.outrider_migration (
      version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`);
    const applied = await client.query<{ version: number; checksum: string; name: string }>(
      'select version, checksum, name from public.outrider_migration order by version',
    );
    const known = new Map(applied.rows.map((row) => [row.version, row]));
    refuseUnknown(applied.rows, migrations);
    const done: string[] = [];
    for (const migration of migrations) {
      const row = known.get(migration.version);
      if (row) {
        refuseChanged(row.checksum, migration);
        continue;
      }
      await applyInTurn(client, migration);
      done.push(migration.name);
    }
    return done;
  } finally {
    await client.end();
  }
}

/** Once whoever holds what it changes lets it have it. */
async function applyInTurn(client: pg.Client, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyOne(client, migration);
    } catch (error) {
      const code = (error as { code?: string }).code ?? '';
      if (!LOCKED.has(code) || attempt >= LOCK_TRIES) {
        throw new Error(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
      }
    }
    await sleepReal(PAUSE_MS);
  }
}

async function applyOne(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${WAIT_FOR_LOCK_MS}`);
  try {
    await client.query(migration.sql);
    await client.query('insert into public.outrider_migration (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

function refuseUnknown(applied: { version: number; name: string }[], migrations: Migration[]): void {
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
