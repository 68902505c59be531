import { REACHES_OTHERS } from '../../postgres/roles.ts';
import { executorLimitStands, executorSettingsStand } from '../../store/tenancy/executor-role.ts';
import { type DoctorCheck, type Finding, notice, problem } from './finding.ts';

/** Databases that are named one by one. */
const MAX_NAMED = 20;

/**
 * Databases that every login of the server may enter. In the product's own that is a hole; in another one an executor's login may call
 * what was taken from it here, such as ending the sessions of others.
 */
export const openDatabases: DoctorCheck = {
  name: 'no database of the server is open to every login',
  async run({ tx }): Promise<Finding[]> {
    const open = await tx.rows<{ name: string; own: boolean }>(
      `select d.datname as name, d.datname = current_database() as own
       from pg_database d
       where d.datallowconn
         and exists (
           select 1
           from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
           where a.grantee = 0 and a.privilege_type in ('CONNECT', 'TEMPORARY')
         )
       order by 1 limit $1`,
      [MAX_NAMED],
    );
    const orders = (names: readonly string[]): string =>
      names.map((name) => `revoke all on database "${name}" from public;`).join(' ');
    const [own, others] = [open.filter((row) => row.own), open.filter((row) => !row.own).map(({ name }) => name)];
    const found = own.map(({ name }) =>
      problem(
        'open_database',
        `Every login of the server may enter the product's database ${name}.`,
        `As its owner run: ${orders([name])} grant connect on database "${name}" to outrider_app, outrider_executor;`,
      ),
    );
    if (others.length === 0) return found;
    return [
      ...found,
      notice(
        'open_databases',
        `Executors may enter other databases of the server: ${others.join(', ')}. There they may end each other's sessions.`,
        `As a superuser run: ${orders(others)} Then grant connect to the roles that belong there.`,
      ),
    ];
  },
};

/** What the executors' login could do to others in the product's database. */
export const executorReach: DoctorCheck = {
  name: 'executors reach nothing but their rows',
  async run({ tx }): Promise<Finding[]> {
    const reach = await tx.row<{ temp: boolean; functions: string[] }>(
      `select
         has_database_privilege('outrider_executor', current_database(), 'temporary') as temp,
         array(
           select p.proname::text
           from pg_proc p
           where p.pronamespace = 'pg_catalog'::regnamespace
             and (${REACHES_OTHERS})
             and has_function_privilege('outrider_executor', p.oid, 'execute')
           group by 1
           order by 1
         ) as functions`,
    );
    const found: Finding[] = [];
    if (reach?.temp)
      found.push(
        problem(
          'executor_temp',
          'Executors may make temporary tables.',
          'As the owner of the database run: revoke temporary on database (its name) from public, outrider_executor;',
        ),
      );
    if ((reach?.functions.length ?? 0) > 0)
      found.push(
        notice(
          'executor_reach',
          `An executor may reach the others, which are of the same login: ${reach?.functions.join(', ')}.`,
          'Run outrider migrate once with SUPERUSER_DATABASE_URL of a superuser, who may take these functions from public. Where the server gives you none, run no executors of tenants who write code of their own.',
        ),
      );
    return found;
  },
};

/** The role of all executors, which each of them could change, and whether the operator may restore it. */
export const executorRole: DoctorCheck = {
  name: 'the login of executors is as it was made',
  async run({ tx }): Promise<Finding[]> {
    const found: Finding[] = [];
    if (!(await executorLimitStands(tx)))
      found.push(
        problem(
          'executor_connections',
          'The role outrider_executor may open more connections of the server, or fewer, than leave the operator a reserve.',
          'The operator restores the limit within a minute; where it may not, run outrider migrate once with SUPERUSER_DATABASE_URL of the administrator who made the roles.',
        ),
      );
    else if (!(await executorSettingsStand(tx)))
      found.push(
        problem(
          'executor_role',
          'Somebody changed the settings of the role outrider_executor.',
          'The operator restores them within a minute (docs/runbooks/ExecutorRoleChanged.md). Settings of your own belong to the database: alter database … set ….',
        ),
      );
    const keeper = await tx.row(
      `select 1
       from pg_proc p
       join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'keeper'
         and p.proname = 'restore_executor'
         and has_function_privilege('outrider_app', p.oid, 'execute')`,
    );
    if (keeper) return found;
    return [
      ...found,
      notice(
        'executor_keeper',
        'The operator may not restore the role outrider_executor when an executor changes it.',
        'Run outrider migrate once with SUPERUSER_DATABASE_URL of the administrator who made the roles.',
      ),
    ];
  },
};
