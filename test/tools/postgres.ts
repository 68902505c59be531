import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import {
  bootstrapRoles,
  closeDatabase,
  closeOwnServer,
  newRolePasswords,
  type RolePasswords,
} from '../../pkg/postgres/roles.ts';
import { EmbeddedPostgres } from '../../pkg/standalone/postgres/embedded-postgres.ts';
import { migrateSchema } from '../../pkg/store/migrations.ts';
import { ownFolder, sweepAbandoned } from './abandoned.ts';
import { closeLedgers, watchLedger } from './ledger-watch.ts';

/** Connection strings of one migrated product database, one per role. */
export interface TestDatabase {
  name: string;
  ownerUrl: string;
  appUrl: string;
  executorUrl: string;
  superuserUrl: string;
}

/** A throwaway PostgreSQL server shared by all tests of one mocha process. */
export interface TestPostgres {
  /** Superuser URL of the maintenance database. */
  url: string;
  /** A new empty database; returns its superuser URL. */
  database(name?: string): Promise<string>;
  /** Drops a database that `database` made. */
  drop(url: string): Promise<void>;
  /** A new database with roles and the whole schema (copied from a template that is migrated once). */
  product(): Promise<TestDatabase>;
  stop(): Promise<void>;
}

/** Nothing in the shared server outlives its test, and hundreds of databases would keep autovacuum going from one to the next. */
const FLEETING = { fsync: 'off', autovacuum: 'off' };

let shared: Promise<TestPostgres> | undefined;

/** The server of this mocha process; started on first use, stopped when the process ends (root hook in test/tools/hooks.ts). */
export function testPostgres(): Promise<TestPostgres> {
  shared ??= startPostgres(FLEETING).then(watched);
  return shared;
}

/** Its databases are under watch: after every test the credit ledger adds up. */
function watched(server: TestPostgres): TestPostgres {
  return {
    ...server,
    async product() {
      const database = await server.product();
      watchLedger(database.superuserUrl);
      return database;
    },
  };
}

/** Stops the shared server if one was started. */
export async function stopTestPostgres(): Promise<void> {
  await closeLedgers();
  const running = shared;
  shared = undefined;
  await (await running)?.stop();
}

/** Starts a server of its own; prefer {@link testPostgres} unless the test restarts or breaks the server. */
export async function startPostgres(settings: Record<string, string> = { fsync: 'off' }): Promise<TestPostgres> {
  await sweepAbandoned();
  const folder = await ownFolder();
  await chmod(folder, 0o755);
  const server = await EmbeddedPostgres.start({ folder: join(folder, 'postgres'), settings });
  await closeOwnServer(server.superuserUrl());
  const passwords = newRolePasswords();
  let count = 0;
  let template: Promise<string> | undefined;
  const url = (role: string, password: string, database: string): string =>
    `postgres://${role}:${password}@127.0.0.1:${server.port}/${database}`;
  const makeTemplate = async (): Promise<string> => {
    await bootstrapRoles(server.superuserUrl(), 'outrider_template', passwords);
    await migrateSchema(url('outrider_owner', passwords.owner, 'outrider_template'));
    return 'outrider_template';
  };
  return {
    url: server.superuserUrl(),
    async database(name = `test_${++count}`) {
      await admin(server, async (client) => {
        await client.query(`create database ${name}`);
        // The doctor of another file's product would name it as one that any login may enter.
        await client.query(`revoke all on database ${name} from public`);
      });
      return server.superuserUrl(name);
    },
    drop: (url) =>
      admin(server, (client) => client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`)),
    async product() {
      template ??= makeTemplate();
      const name = `product_${++count}`;
      const from = await template;
      await admin(server, async (client) => {
        await client.query(`create database ${name} template ${from} strategy file_copy owner outrider_owner`);
        // Who may enter a database is not copied with it.
        await closeDatabase(client, name);
      });
      return databaseOf(name, passwords, url, server.superuserUrl(name));
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function databaseOf(
  name: string,
  passwords: RolePasswords,
  url: (role: string, password: string, database: string) => string,
  superuserUrl: string,
): TestDatabase {
  return {
    name,
    ownerUrl: url('outrider_owner', passwords.owner, name),
    appUrl: url('outrider_app', passwords.app, name),
    executorUrl: url('outrider_executor', passwords.executor, name),
    superuserUrl,
  };
}

async function admin(server: EmbeddedPostgres, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server.superuserUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
