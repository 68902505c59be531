import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { messageOf } from '../../../pkg/base/errors.ts';
import { bootstrapRoles, newRolePasswords } from '../../../pkg/postgres/roles.ts';
import { EmbeddedPostgres } from '../../../pkg/standalone/postgres/embedded-postgres.ts';
import { migrateSchema } from '../../../pkg/store/migrations.ts';
import { type SeedSize, seed } from './seed.ts';
import { seedLists } from './seed-lists.ts';

const FOLDER = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'outrider/bench-search');
const DATABASE = 'search';
/** Every table and index of some size into the shared buffers, those of leads last, so that they stay when not all fit. */
const PREWARM = [
  'create extension if not exists pg_prewarm',
  `select count(*), pg_size_pretty(sum(pg_prewarm(oid) * 8192)) from (select oid from pg_class
     where relnamespace = 'outrider'::regnamespace and relkind in ('r', 'i') and pg_relation_size(oid) > 1000000
     order by relname like 'lead%', pg_relation_size(oid)) c`,
];
/** Memory for the leads and their indexes, as a server of this size is given: with the default of 128 MB each page is copied in. */
const SETTINGS = { fsync: 'off', shared_buffers: '1GB' };

/** A running server with the seeded database. */
export interface KeptDatabase {
  appUrl: string;
  superuserUrl: string;
  /** Whether the rows were made now; false: they are those of an earlier run. */
  fresh: boolean;
  stop(): Promise<void>;
}

/**
 * The seeded database of the last run, in memory as far as it fits, brought to this program's migrations; made anew when seed or size are others, or
 * when a migration that it has was changed. One bench at a time: starting ends a server that still uses the folder.
 */
export async function keptDatabase(size: SeedSize): Promise<KeptDatabase> {
  await mkdir(FOLDER, { recursive: true });
  const server = await EmbeddedPostgres.start({ folder: join(FOLDER, 'postgres'), settings: SETTINGS });
  const passwords = newRolePasswords();
  const superuserUrl = server.superuserUrl(DATABASE);
  const url = (role: string, password: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${server.port}/${DATABASE}`;
  const prepare = async (): Promise<void> => {
    await bootstrapRoles(server.superuserUrl(), DATABASE, passwords);
    await migrateSchema(url('outrider_owner', passwords.owner));
  };
  try {
    const stamp = await stampOf(size);
    const kept = (await stampIn(server)) === stamp && (await migrated(prepare));
    if (!kept) {
      await run(server.superuserUrl(), [`drop database if exists ${DATABASE} with (force)`]);
      await prepare();
      await fill(superuserUrl, size);
      await run(server.superuserUrl(), [`comment on database ${DATABASE} is '${stamp}'`]);
    }
    await run(superuserUrl, PREWARM);
    return { appUrl: url('outrider_app', passwords.app), superuserUrl, fresh: !kept, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function fill(url: string, size: SeedSize): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=outrider,app,public' });
  await client.connect();
  try {
    await seed(client, size);
    await seedLists(client);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** Names what the rows were made by. */
async function stampOf(size: SeedSize): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(size));
  for (const file of ['./seed.ts', './seed-lists.ts']) hash.update(await readFile(new URL(file, import.meta.url)));
  return hash.digest('hex');
}

async function stampIn(server: EmbeddedPostgres): Promise<string | undefined> {
  const [row] = await run(server.superuserUrl(), [
    `select shobj_description(oid, 'pg_database') as stamp from pg_database where datname = '${DATABASE}'`,
  ]);
  return row?.['stamp'] as string | undefined;
}

async function migrated(prepare: () => Promise<void>): Promise<boolean> {
  try {
    await prepare();
    return true;
  } catch (error) {
    console.log(`the kept database is made anew: ${messageOf(error)}`);
    return false;
  }
}

/** Runs statements one by one; the rows of the last. */
async function run(url: string, statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
