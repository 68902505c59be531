import { randomBytes } from 'node:crypto';
import type { Database } from '../postgres/database.ts';
import { migrate } from '../postgres/migrate.ts';
import { OwnClient } from '../postgres/own-client.ts';
import { OWNER_SESSION, sessionOf } from '../postgres/session-settings.ts';
import { type FunctionSet, type Migration, readFunctions, readMigrations } from '../postgres/sql-files.ts';
import { withProfiles } from './planner-profiles.ts';
import { withTempLast } from './temp-last.ts';

/** Folder of the numbered migrations. */
const MIGRATIONS_FOLDER = new URL('./migrations/', import.meta.url).pathname;
/** Its rooms hold the functions, a file each, beside the code that calls them. */
const STORE_FOLDER = new URL('./', import.meta.url).pathname;

/** The baseline stands for the migrations of all development before it; `program`: the last commit that has them. */
const BASELINE = 600;
const REPLACED = { count: 191, last: '0555_words_as_networks_write_them.sql', program: '083d63a3' };

/** Persons of the versions before belong to nobody yet; nobody may be looked for by an alias before that is settled. */
const SETTLE_PERSONS = 'select app.settle_scopes()';

/** The schema that this program works with. */
export interface Schema {
  migrations: Migration[];
  functions: FunctionSet;
}

/** Reads it from the program's own files. */
export async function readSchema(): Promise<Schema> {
  const [migrations, functions] = await Promise.all([
    readMigrations(MIGRATIONS_FOLDER),
    readFunctions(STORE_FOLDER, (sql) => withTempLast(withProfiles(sql))),
  ]);
  return {
    migrations: migrations.map((one) => (one.version === BASELINE ? { ...one, replaces: REPLACED } : one)),
    functions: { ...functions, afterwards: SETTLE_PERSONS },
  };
}

/**
 * Brings the product's schema up to date and makes the claim secret on the first run.
 * @param ownerUrl connection string of `outrider_owner`
 */
export async function migrateSchema(ownerUrl: string): Promise<string[]> {
  const { migrations, functions } = await readSchema();
  const applied = await migrate(ownerUrl, migrations, functions);
  await ensureLeaseSecret(ownerUrl);
  await settlePersons(ownerUrl);
  return applied;
}

/**
 * What this program has and the database lacks: names of migrations, and its functions unless they were
 * applied once (those of a newer program may have been applied since).
 * @throws when the database can't be asked
 */
export async function missingMigrations(db: Database, { migrations, functions }: Schema): Promise<string[]> {
  const [rows, sets] = await db.tx({ kind: 'none' }, async (tx) => [
    await tx.rows<{ version: number }>('select version from public.outrider_migration'),
    await tx.rows('select 1 from public.outrider_function_set where checksum = $1', [functions.checksum]),
  ]);
  const applied = new Set(rows.map((row) => row.version));
  const missing = migrations.filter(({ version }) => !applied.has(version)).map(({ name }) => name);
  return sets.length > 0 ? missing : [...missing, 'the functions of this version'];
}

/** Those too that a program of the version before made since, while the upgrade rolled. */
async function settlePersons(ownerUrl: string): Promise<void> {
  const client = new OwnClient({ ...sessionOf(ownerUrl, OWNER_SESSION), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(SETTLE_PERSONS);
  } finally {
    await client.end();
  }
}

/** The secret never leaves the database; HMAC pads (RFC 2104) are stored so that SQL needs only sha256(). */
async function ensureLeaseSecret(ownerUrl: string): Promise<void> {
  const secret = randomBytes(64);
  const client = new OwnClient({ ...sessionOf(ownerUrl, OWNER_SESSION), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('insert into app.claim_secret (inner_pad, outer_pad) values ($1, $2) on conflict do nothing', [
      Buffer.from(secret.map((byte) => byte ^ 0x36)),
      Buffer.from(secret.map((byte) => byte ^ 0x5c)),
    ]);
  } finally {
    await client.end();
  }
}
