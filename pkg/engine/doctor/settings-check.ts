import { EXECUTOR_ROLE } from '../../postgres/executor-role.ts';
import { OWN_SETTINGS, OWNER_SESSION, SINCE_17 } from '../../postgres/session-settings.ts';
import { type DoctorCheck, type Finding, notice, problem } from './finding.ts';

/** What no session may set for itself, or only a superuser, and its one value that is safe, with what another one does. */
const UNSAFE: Readonly<Record<string, readonly [safe: string, harm: string]>> = {
  session_replication_role: [
    'origin',
    'no trigger fires and no foreign key is checked: budgets, histories and erasure lose their keepers',
  ],
  fsync: ['on', 'what was committed may be lost in a power cut, and with it who was messaged already'],
  full_page_writes: ['on', 'a power cut may leave torn pages'],
  zero_damaged_pages: ['off', 'damaged pages are emptied without a word'],
  ignore_system_indexes: ['off', 'each statement reads the whole catalog'],
  'plpgsql.variable_conflict': ['error', 'functions take a name in another sense than they were written for'],
  restrict_nonsystem_relation_kind: ['', 'views can not be read'],
};

/** What is set for one role or one database. */
interface Default {
  name: string;
  value: string;
  /** `alter` in front of it would change it. */
  owner: string;
  role: string | null;
}

const MAX_ROWS = 100;

/** Settings of the server, the database and the roles that would change what statements mean or what outlives a crash. */
export const harmfulSettings: DoctorCheck = {
  name: 'no setting of the database works against the product',
  async run({ tx }): Promise<Finding[]> {
    const effective = await tx.rows<{ name: string; value: string }>(
      `select name, setting as value from pg_settings where name = any ($1)`,
      [Object.keys(UNSAFE)],
    );
    const defaults = await tx.rows<Default>(
      `select
         split_part(c, '=', 1) as name,
         substr(c, strpos(c, '=') + 1) as value,
         r.rolname::text as role,
         case
           when r.oid is null then format('database %I', d.datname)
           when d.oid is null then format('role %I', r.rolname)
           else format('role %I in database %I', r.rolname, d.datname)
         end as owner
       from pg_db_role_setting s
       left join pg_roles r on r.oid = s.setrole
       left join pg_database d on d.oid = s.setdatabase
       cross join unnest(s.setconfig) c
       where (s.setdatabase = 0 or d.datname = current_database())
         and (s.setrole = 0 or r.rolname like 'outrider\\_%' or r.rolname = current_user)
       order by 4, 1 limit $1`,
      [MAX_ROWS],
    );
    const set = defaults.filter(({ name }) => name in UNSAFE).map(({ name }) => name);
    return [
      ...effective.filter(({ name, value }) => !set.includes(name) && isUnsafe(name, value)).map(ofServer),
      ...defaults.filter(({ name, value }) => isUnsafe(name, value)).map(ofDefault),
      ...defaults.filter(differs).map(overridden),
    ];
  },
};

function isUnsafe(name: string, value: string): boolean {
  const known = UNSAFE[name];
  return known !== undefined && known[0] !== value;
}

/** Harm only in a power cut: a server whose data may be lost runs so on purpose. */
const ON_PURPOSE: readonly string[] = ['fsync', 'full_page_writes'];

function ofServer({ name, value }: Pick<Default, 'name' | 'value'>): Finding {
  const tell = ON_PURPOSE.includes(name) ? notice : problem;
  return tell(
    'unsafe_setting',
    `The server runs with ${name} = ${shown(value)}: ${UNSAFE[name]?.[1]}.`,
    `Set ${name} = ${shown(UNSAFE[name]?.[0] ?? '')} in postgresql.conf, or alter system reset ${name}.`,
  );
}

function ofDefault({ name, value, owner }: Default): Finding {
  return problem(
    'unsafe_setting',
    `For ${owner} is set ${name} = ${shown(value)}: ${UNSAFE[name]?.[1]}.`,
    `As a superuser run: alter ${owner} reset ${name}; then restart the pods.`,
  );
}

/** The sessions of this version bring what they rely on with them; others that come to the database do not. */
function overridden({ name, value, owner }: Default): Finding {
  return notice(
    'overridden_setting',
    `For ${owner} is set ${name} = ${shown(value)}. Outrider's sessions bring their own value with them; psql, backups and programs of an earlier version take this one.`,
    `If nobody else needs it, run: alter ${owner} reset ${name};`,
  );
}

/** Those of the executors' role have a check of their own, and who puts them right. */
function differs({ name, value, role }: Default): boolean {
  if (role === EXECUTOR_ROLE) return false;
  const wanted = wantedBy(role);
  const key = Object.keys(wanted).find((one) => one.toLowerCase() === name.toLowerCase());
  return key !== undefined && plain(wanted[key] ?? '') !== plain(value);
}

function wantedBy(role: string | null): Readonly<Record<string, string | undefined>> {
  return { ...OWN_SETTINGS, ...SINCE_17, ...(role === 'outrider_owner' ? OWNER_SESSION : {}) };
}

function plain(value: string): string {
  return value.toLowerCase().replace(/[\s"']/g, '');
}

function shown(value: string): string {
  return value === '' ? "''" : value.slice(0, 100);
}
