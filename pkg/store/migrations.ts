import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../postgres/database.ts';
import { migrate, readMigrations } from '../postgres/migrate.ts';

/** Folder of the numbered migrations. */
export const MIGRATIONS_FOLDER = new URL('./migrations/', import.meta.url).pathname;

/**
 * Brings the product's schema up to date and makes the claim secret on the first run.
 * @param ownerUrl connection string of `outrider_owner`
 */
export async function migrateSchema(ownerUrl: string): Promise<string[]> {
  const applied = await migrate(ownerUrl, await readMigrations(MIGRATIONS_FOLDER));
  await ensureClaimSecret(ownerUrl);
  return applied;
}

/** Names of the migrations that this program has and the database lacks. @throws when the database can't be asked */
export async function missingMigrations(db: Database): Promise<string[]> {
  const known = await readMigrations(MIGRATIONS_FOLDER);
  const rows = await db.tx({ kind: 'none' }, (tx) =>
    tx.rows<{ version: number }>('select version from public.outrider_migration'),
  );
  const applied = new Set(rows.map((row) => row.version));
  return known.filter(({ version }) => !applied.has(version)).map(({ name }) => name);
}

/** The secret never leaves the database; HMAC pads (RFC 2104) are stored so that SQL needs only sha256(). */
async function ensureClaimSecret(ownerUrl: string): Promise<void> {
  const secret = randomBytes(64);
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
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
