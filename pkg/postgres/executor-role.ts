import type pg from 'pg';
import { SEARCH_PATH, type SessionSettings } from './session-settings.ts';

/** The login of all executors. */
export const EXECUTOR_ROLE = 'outrider_executor';

/** When the server ends what an executor left: its sessions bring it with them, and its role has it. */
export const EXECUTOR_SESSION: SessionSettings = {
  idle_in_transaction_session_timeout: '10s',
  statement_timeout: '20s',
};

/**
 * Its settings, as `alter role` takes them; whatever else is set for it, the operator takes away. A frozen executor must not hold its
 * claim's row lock past the time after which it may be replaced (30 s).
 */
const SETTINGS: Readonly<Record<string, string>> = {
  search_path: SEARCH_PATH,
  ...Object.fromEntries(Object.entries(EXECUTOR_SESSION).map(([name, value]) => [name, `'${value}'`])),
};

/** The same as `pg_db_role_setting` shows them, in order. */
export const EXECUTOR_SETTINGS: readonly string[] = Object.entries(SETTINGS)
  .map(([name, value]) => `${name}=${value.replaceAll("'", '')}`)
  .sort();

/** What part of the server's connections all executors have together: the rest is a reserve of the operator and the MCP servers. */
const CONNECTION_SHARE = { most: 3, of: 5 };

/**
 * As SQL: connections that the role may have open, from those that the server has for roles that are no superuser. No login may change
 * its own limit, only its keeper does.
 */
export const EXECUTOR_CONNECTIONS = `greatest(
  2,
  (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int)
    * ${CONNECTION_SHARE.most} / ${CONNECTION_SHARE.of}
)`;

/** Sets the limit; a block, since the statement takes a number alone. */
const LIMIT = `execute format('alter role ${EXECUTOR_ROLE} connection limit %s', ${EXECUTOR_CONNECTIONS});`;

const SET_ALL = Object.entries(SETTINGS).map(([name, value]) => `alter role ${EXECUTOR_ROLE} set ${name} = ${value};`);

/** Sets them. @param client of a role that may alter the executors' */
export async function setExecutorRole(client: pg.Client): Promise<void> {
  for (const statement of SET_ALL) await client.query(statement);
  await client.query(`do $$ begin ${LIMIT} end $$`);
}

/** A text of no other form reaches the statement. */
const VERIFIER = '^SCRAM-SHA-256[$][0-9]{4,6}:[A-Za-z0-9+/=]{16,64}[$][A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=$';

/**
 * What gives the role of all executors its password and its settings back. Postgres lets every login change its own, and nothing takes
 * that from it: an executor in foreign hands would so lock all the others out. The operator may call this function and alter no role by
 * itself; it belongs to the administrator who made the roles. It takes a SCRAM verifier, so that no password is in a statement.
 */
const KEEPER = `
  create schema if not exists keeper;
  revoke all on schema keeper from public;
  grant usage on schema keeper to outrider_app;
  create or replace function keeper.restore_executor(p_verifier text, p_settings boolean) returns void
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp
    as $$
    declare
      at_database text;
    begin
      if p_verifier is not null then
        if p_verifier !~ '${VERIFIER}' then
          raise exception 'no SCRAM-SHA-256 verifier' using errcode = '22023';
        end if;
        execute format('alter role ${EXECUTOR_ROLE} password %L', p_verifier);
      end if;
      if p_settings then
        alter role ${EXECUTOR_ROLE} reset all;
        for at_database in
          select d.datname
          from pg_db_role_setting s
          join pg_database d on d.oid = s.setdatabase
          where s.setrole = '${EXECUTOR_ROLE}'::regrole
        loop
          execute format('alter role ${EXECUTOR_ROLE} in database %I reset all', at_database);
        end loop;
        ${SET_ALL.join('\n        ')}
        ${LIMIT}
      end if;
    end $$;
  revoke execute on function keeper.restore_executor(text, boolean) from public;
  grant execute on function keeper.restore_executor(text, boolean) to outrider_app;`;

/** Makes it. @param client of the administrator who made the roles, on the product's database */
export async function installKeeper(client: pg.Client): Promise<void> {
  await client.query(KEEPER);
}
