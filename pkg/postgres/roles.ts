import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { installKeeper, setExecutorRole } from './executor-role.ts';
import { OwnClient } from './own-client.ts';
import { ADMIN_SESSION, SEARCH_PATH, sessionOf } from './session-settings.ts';

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** Passwords of the three roles that can log in. */
export interface RolePasswords {
  owner: string;
  app: string;
  executor: string;
}

/** New random passwords (hex, so that they need no escaping inside a URL). */
export function newRolePasswords(): RolePasswords {
  const secret = (): string => randomBytes(24).toString('hex');
  return { owner: secret(), app: secret(), executor: secret() };
}

/**
 * Makes or updates the four roles and the database; idempotent. Needs a superuser, once, before the first migration.
 * `outrider_owner` owns the schema; `outrider_app` (MCP server, operator) and `outrider_executor` own nothing and
 * cannot bypass row-level security; `outrider_definer` cannot log in and owns the SECURITY DEFINER functions.
 * @param superuserUrl connection string of a superuser on the maintenance database
 * @param database name of the product's database
 */
export async function bootstrapRoles(superuserUrl: string, database: string, passwords: RolePasswords): Promise<void> {
  const client = new OwnClient({ ...sessionOf(superuserUrl, ADMIN_SESSION), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await ensureRole(client, 'outrider_owner', `login password '${escapeQuotes(passwords.owner)}'`);
    await ensureRole(client, 'outrider_definer', 'nologin nobypassrls');
    await ensureRole(client, 'outrider_app', `login nobypassrls password '${escapeQuotes(passwords.app)}'`);
    await ensureRole(client, 'outrider_executor', `login nobypassrls password '${escapeQuotes(passwords.executor)}'`);
    // Inherited and settable by default; to say so takes Postgres 16.
    await client.query('grant outrider_definer to outrider_owner');
    await grantStatistics(client);
    for (const role of ['outrider_owner', 'outrider_app', 'outrider_definer']) {
      await client.query(`alter role ${role} set search_path = ${SEARCH_PATH}`);
    }
    await client.query(`alter role outrider_app set idle_in_transaction_session_timeout = '30s'`);
    await setExecutorRole(client);
    const found = await client.query('select 1 from pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${quoteName(database)} owner outrider_owner`);
    await closeDatabase(client, database);
  } finally {
    await client.end();
  }
  await keepToItself(superuserUrl, database);
}

/**
 * Takes a database from everybody but the roles of the product: neither a session nor a temporary table for others. What an executor
 * could do in another database of the server, `outrider doctor` says.
 * @param client of a superuser or of the database's owner
 */
export async function closeDatabase(client: pg.Client, database: string): Promise<void> {
  await client.query(`revoke all on database ${quoteName(database)} from public`);
  await client.query(`grant connect on database ${quoteName(database)} to outrider_app, outrider_executor`);
}

/**
 * Closes the databases that every server has, and another one of its own, on a server that serves Outrider alone: there the functions
 * that reach the sessions of others are still open, and an executor could call them.
 * @param others names of further databases
 */
export async function closeOwnServer(superuserUrl: string, others: readonly string[] = []): Promise<void> {
  const client = new OwnClient({ ...sessionOf(superuserUrl, ADMIN_SESSION), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    for (const name of ['postgres', 'template1', ...others]) {
      await client.query(`revoke all on database ${quoteName(name)} from public`);
    }
  } finally {
    await client.end();
  }
}

/**
 * Functions of the server that everybody may call, and that reach beyond rows: all executors are one login, so with these one of them
 * held the locks by which persons are resolved and months opened, ended the sessions of all others, and filled the disk with large
 * objects past every policy. The functions of the schema lock as outrider_definer.
 */
export const REACHES_OTHERS = `proname ~ '^pg_(try_)?advisory_' or proname in ('pg_cancel_backend', 'pg_terminate_backend', 'lowrite')
  or proname ~ '^lo_(creat|from_bytea|put|truncate|unlink|import)'`;

/**
 * Takes them from everybody but the roles that need them, and lets the operator restore the executors' role. An administrator of a managed
 * server who may not is passed over; the doctor says so.
 */
async function keepToItself(superuserUrl: string, database: string): Promise<void> {
  const url = new URL(superuserUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  const client = new OwnClient({ ...sessionOf(url.href, ADMIN_SESSION), connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    await installKeeper(client);
    await client.query(`do $$
      declare f regprocedure;
      begin
        for f in select p.oid::regprocedure from pg_catalog.pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace
            and has_function_privilege('public', p.oid, 'execute') and (${REACHES_OTHERS}) loop
          execute format('revoke execute on function %s from public', f);
          execute format('grant execute on function %s to outrider_owner, outrider_app, outrider_definer', f);
        end loop;
      end $$`);
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
  } finally {
    await client.end();
  }
}

/**
 * `outrider doctor` looks as the owner for transactions that any role left open. An administrator of a hosted Postgres who may not
 * grant that goes on without; the doctor says so.
 */
async function grantStatistics(client: pg.Client): Promise<void> {
  await client.query('grant pg_read_all_stats to outrider_owner').catch((error: { code?: string }) => {
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
  });
}

async function ensureRole(client: pg.Client, name: string, options: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [name]);
  await client.query(`${found.rowCount === 0 ? 'create' : 'alter'} role ${name} ${options}`);
}

function escapeQuotes(text: string): string {
  return text.replaceAll("'", "''");
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
