const DEFINER = /\bsecurity definer\b/;
/** The attribute of a function; a body sets its path by set_config. */
const PATH = /^([ ]*set search_path = )([a-z_]+(?:, [a-z_]+)*)$/gm;

/**
 * The text of a function whose `search_path` ends with `pg_temp`. Postgres looks for tables in the caller's temporary schema before
 * all others unless the path names it, so a function that works for others by its owner's rights would read a table that the caller
 * made under the name of ours. The files leave it out; this is the one place that adds it.
 * Source: PostgreSQL, CREATE FUNCTION, "Writing SECURITY DEFINER Functions Safely".
 * @throws Error when a security definer function names no path
 */
export function withTempLast(sql: string): string {
  if (DEFINER.test(sql) && sql.match(PATH) === null)
    throw new Error(
      'a security definer function pins its search_path: add "set search_path = outrider, app, pg_catalog"',
    );
  return sql.replace(PATH, (_line, set: string, path: string) => {
    const schemas = path.split(', ').filter((schema) => schema !== 'pg_temp');
    return `${set}${[...schemas, 'pg_temp'].join(', ')}`;
  });
}
