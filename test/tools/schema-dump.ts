import type pg from 'pg';

/** One fact about the schema: the thing it belongs to and a line of text. */
interface Fact {
  of: string;
  line: string;
}

const OURS = `n.nspname in ('outrider', 'app', 'public')`;
/** Things that an extension brought are the extension's. */
const OWN = (catalog: string, oid: string): string =>
  `not exists (select 1 from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;
const RELATION = `case c.relkind when 'S' then 'sequence ' when 'v' then 'view ' else 'table ' end || n.nspname || '.' || c.relname`;
const RELATIONS = `pg_class c join pg_namespace n on n.oid = c.relnamespace`;
const ROUTINE = `'function ' || n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'`;
const granted = (acl: string): string =>
  `coalesce(g.rolname, 'public') || ': ' || string_agg(lower(x.privilege_type), ', ' order by x.privilege_type) as line
   from ${acl} left join pg_roles g on g.oid = x.grantee`;

/** What is read of the catalog, in the order in which the lines of one thing stand. */
const QUERIES: readonly string[] = [
  `select 'extension ' || extname as of, 'in ' || extnamespace::regnamespace as line from pg_extension where extname <> 'plpgsql'`,
  `select 'role ' || r.rolname as of, concat_ws(' ', case when r.rolcanlogin then 'login' else 'nologin' end,
     case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypassrls' end,
     case when r.rolcreaterole then 'createrole' end, case when r.rolcreatedb then 'createdb' end,
     'settings ' || coalesce((select string_agg(c, ', ' order by c) from unnest(r.rolconfig) c), 'none')) as line
   from pg_roles r where r.rolname like 'outrider%'`,
  `select 'role ' || m.rolname as of, 'member of ' || g.rolname as line from pg_auth_members a
   join pg_roles m on m.oid = a.member join pg_roles g on g.oid = a.roleid where m.rolname like 'outrider%' order by g.rolname`,
  `select 'schema ' || n.nspname as of, 'owner ' || n.nspowner::regrole as line from pg_namespace n where ${OURS}`,
  `select 'schema ' || n.nspname as of, 'grant ' || ${granted(`pg_namespace n cross join lateral aclexplode(n.nspacl) x`)}
   where ${OURS} group by n.nspname, g.rolname order by g.rolname`,
  `select 'schema ' || n.nspname as of, 'default privileges of ' || a.defaclrole::regrole || ' on ' || a.defaclobjtype::text || ': ' || a.defaclacl::text as line
   from pg_default_acl a join pg_namespace n on n.oid = a.defaclnamespace where ${OURS}`,
  `select 'type ' || n.nspname || '.' || t.typname as of, 'owner ' || t.typowner::regrole || coalesce(' values ' ||
     (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid), '') as line
   from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
   where ${OURS} and (t.typtype in ('e', 'd') or c.relkind = 'c') and ${OWN('pg_type', 't.oid')}`,
  `select case when c.relkind = 'c' then 'type ' || n.nspname || '.' || c.relname else ${RELATION} end as of,
     'column ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
     || case when a.attidentity <> '' then ' identity ' || a.attidentity::text else '' end
     || case when d.adbin is null then '' when a.attgenerated <> '' then ' generated ' else ' default ' end || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as line
   from ${RELATIONS} join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where ${OURS} and c.relkind in ('r', 'p', 'v', 'm', 'c') and a.attnum > 0 and not a.attisdropped and ${OWN('pg_class', 'c.oid')}
   order by c.oid, a.attnum`,
  `select ${RELATION} as of, concat_ws(' ', 'owner', c.relowner::regrole, case when c.relpersistence = 'u' then 'unlogged' end,
     case when c.relkind = 'p' then 'partitioned ' || pg_get_partkeydef(c.oid) end, case when c.relispartition then pg_get_expr(c.relpartbound, c.oid) end,
     'with ' || c.reloptions::text, case when c.relkind in ('r', 'p') then 'row security ' ||
       case when c.relrowsecurity and c.relforcerowsecurity then 'forced' when c.relrowsecurity then 'enabled' else 'off' end end,
     case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end) as line
   from ${RELATIONS} where ${OURS} and c.relkind in ('r', 'p', 'v', 'm', 'S') and ${OWN('pg_class', 'c.oid')}`,
  `select ${RELATION} as of, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) as line
   from ${RELATIONS} join pg_constraint k on k.conrelid = c.oid where ${OURS} and k.contype <> 'n' order by k.conname`,
  `select ${RELATION} as of, pg_get_indexdef(i.indexrelid) as line
   from ${RELATIONS} join pg_index i on i.indrelid = c.oid join pg_class x on x.oid = i.indexrelid
   where ${OURS} and c.relkind in ('r', 'p', 'm') order by x.relname`,
  `select ${RELATION} as of, concat_ws(' ', 'policy', p.polname, 'for', p.polcmd, case when p.polpermissive then 'permissive' else 'restrictive' end,
     'to', (select string_agg(coalesce(r.rolname, 'public'), ', ' order by r.rolname) from unnest(p.polroles) o left join pg_roles r on r.oid = o),
     'using ' || pg_get_expr(p.polqual, p.polrelid), 'check ' || pg_get_expr(p.polwithcheck, p.polrelid)) as line
   from ${RELATIONS} join pg_policy p on p.polrelid = c.oid where ${OURS} order by p.polname`,
  `select ${RELATION} as of, pg_get_triggerdef(t.oid) || case t.tgenabled when 'O' then '' else ' enabled ' || t.tgenabled::text end as line
   from ${RELATIONS} join pg_trigger t on t.tgrelid = c.oid where ${OURS} and not t.tgisinternal order by t.tgname`,
  `select ${RELATION} as of, 'grant ' || ${granted(`${RELATIONS} cross join lateral aclexplode(c.relacl) x`)}
   where ${OURS} and c.relkind in ('r', 'p', 'v', 'm', 'S') and x.grantee <> c.relowner and ${OWN('pg_class', 'c.oid')}
   group by c.relkind, n.nspname, c.relname, g.rolname order by g.rolname`,
  `select ${RELATION} as of, 'grant on column ' || a.attname || ' ' || ${granted(`${RELATIONS} join pg_attribute a on a.attrelid = c.oid cross join lateral aclexplode(a.attacl) x`)}
   where ${OURS} group by c.relkind, n.nspname, c.relname, a.attname, g.rolname order by a.attname, g.rolname`,
  `select ${ROUTINE} as of, concat_ws(' ', 'returns', pg_get_function_result(p.oid), 'owner', p.proowner::regrole,
     case when p.prosecdef then 'security definer' else 'security invoker' end, 'language', l.lanname, 'volatile ' || p.provolatile::text,
     'parallel ' || p.proparallel::text, case when p.proisstrict then 'strict' end, case when p.proleakproof then 'leakproof' end,
     'set ' || array_to_string(p.proconfig, ' set '), 'body ' || left(encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'), 16)) as line
   from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
   where ${OURS} and ${OWN('pg_proc', 'p.oid')}`,
  `select ${ROUTINE} as of, 'grant ' || ${granted(`pg_proc p join pg_namespace n on n.oid = p.pronamespace
     cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x`)}
   where ${OURS} and x.grantee <> p.proowner and ${OWN('pg_proc', 'p.oid')} group by p.oid, n.nspname, p.proname, g.rolname order by g.rolname`,
];

/**
 * The schema as text, the same for the same migrations: roles, tables, columns, indexes, constraints, policies, triggers,
 * functions (owner, security, settings, hash of the body) and grants, one line each.
 */
export async function dumpSchema(client: pg.Client): Promise<string> {
  // Names outside the path are written in full.
  await client.query(`set search_path = pg_catalog`);
  const things = new Map<string, string[]>();
  for (const query of QUERIES) {
    const facts = await client.query<Fact>(query);
    for (const { of, line } of facts.rows) {
      things.set(of, [...(things.get(of) ?? []), `  ${line.replaceAll(/\s+/g, ' ').trim()}`]);
    }
  }
  const names = [...things.keys()].sort();
  return names.flatMap((name) => [name, ...(things.get(name) ?? []), '']).join('\n');
}
