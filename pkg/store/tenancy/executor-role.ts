import type { Tx } from '../../postgres/database.ts';
import { EXECUTOR_CONNECTIONS, EXECUTOR_ROLE, EXECUTOR_SETTINGS } from '../../postgres/executor-role.ts';

/** Whether the role of all executors has no more connections, and no fewer, than leave the others a reserve. */
export async function executorLimitStands(tx: Tx): Promise<boolean> {
  const row = await tx.row<{ stands: boolean }>(
    `select rolconnlimit = ${EXECUTOR_CONNECTIONS} as stands from pg_roles where rolname = $1`,
    [EXECUTOR_ROLE],
  );
  return row?.stands ?? false;
}

/**
 * Whether the role of all executors has the limit of connections and the settings that it was given, and no others, in this and in
 * every database. A keeper of an earlier version knows no limit: then `outrider doctor` alone looks at it.
 */
export async function executorSettingsStand(tx: Tx): Promise<boolean> {
  if (!(await executorLimitStands(tx)) && (await mayLimit(tx))) return false;
  const rows = await tx.rows<{ database: string; settings: string[] }>(
    `select s.setdatabase::text as database, s.setconfig as settings
     from pg_db_role_setting s
     join pg_roles r on r.oid = s.setrole
     where r.rolname = $1`,
    [EXECUTOR_ROLE],
  );
  const everywhere = rows.find(({ database }) => database === '0')?.settings ?? [];
  return rows.length === 1 && [...everywhere].sort().join('\n') === EXECUTOR_SETTINGS.join('\n');
}

async function mayLimit(tx: Tx): Promise<boolean> {
  const keeper = await tx.row(
    `select 1
     from pg_proc p
     join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'keeper' and p.proname = 'restore_executor' and p.prosrc like '%connection limit%'`,
  );
  return keeper !== undefined;
}

/**
 * Gives the role its password and its settings back (keeper.restore_executor).
 * @param verifier what Postgres stores of the password; null: it stays
 * @throws Error with SQLSTATE 3F000, 42883 or 42501 where no superuser made the roles, so that nobody may
 */
export async function restoreExecutorRole(tx: Tx, verifier: string | null, settings: boolean): Promise<void> {
  await tx.exec('select keeper.restore_executor($1, $2)', [verifier, settings]);
}
