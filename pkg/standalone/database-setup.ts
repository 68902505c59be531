import { OwnClient } from '../postgres/own-client.ts';
import { bootstrapRoles, closeOwnServer } from '../postgres/roles.ts';
import { ADMIN_SESSION, sessionOf } from '../postgres/session-settings.ts';
import { migrateSchema } from '../store/migrations.ts';
import type { HomeSecrets } from './home.ts';
import { EmbeddedPostgres } from './postgres/embedded-postgres.ts';

/** Connection strings of a running home. */
export interface HomeDatabases {
  server: EmbeddedPostgres;
  ownerUrl: string;
  appUrl: string;
  executorUrl: string;
  /** Objects of the embedded Kubernetes API, in a database of their own. */
  kubeUrl: string;
}

/** Starts PostgreSQL on the home's data and brings roles and schema up to date. */
export async function startDatabases(folder: string, secrets: HomeSecrets): Promise<HomeDatabases> {
  const server = await EmbeddedPostgres.start({ folder });
  try {
    await bootstrapRoles(server.superuserUrl(), 'outrider', secrets.roles);
    await ensureKubeDatabase(server.superuserUrl(), secrets.kubePassword);
    await closeOwnServer(server.superuserUrl(), ['outrider_kube']);
    const url = (user: string, password: string, database: string): string =>
      `postgres://${user}:${password}@127.0.0.1:${server.port}/${database}`;
    const ownerUrl = url('outrider_owner', secrets.roles.owner, 'outrider');
    await migrateSchema(ownerUrl);
    return {
      server,
      ownerUrl,
      appUrl: url('outrider_app', secrets.roles.app, 'outrider'),
      executorUrl: url('outrider_executor', secrets.roles.executor, 'outrider'),
      kubeUrl: url('outrider_kube', secrets.kubePassword, 'outrider_kube'),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function ensureKubeDatabase(superuserUrl: string, password: string): Promise<void> {
  const client = new OwnClient({ ...sessionOf(superuserUrl, ADMIN_SESSION), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const role = await client.query(`select 1 from pg_roles where rolname = 'outrider_kube'`);
    const verb = role.rowCount === 0 ? 'create' : 'alter';
    await client.query(`${verb} role outrider_kube login password ${client.escapeLiteral(password)}`);
    const database = await client.query(`select 1 from pg_database where datname = 'outrider_kube'`);
    if (database.rowCount === 0) await client.query('create database outrider_kube owner outrider_kube');
  } finally {
    await client.end();
  }
}
