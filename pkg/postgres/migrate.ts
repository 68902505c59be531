import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
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
      await applyOne(client, migration);
      done.push(migration.name);
    }
    return done;
  } finally {
    await client.end();
  }
}

async function applyOne(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into public.outrider_migration (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
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
