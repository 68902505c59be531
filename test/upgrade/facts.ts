import { connected } from './stored-database.ts';

/** Ids of the rows of a database, by table: what may not get lost. */
export type Facts = ReadonlyMap<string, ReadonlySet<string>>;

/** Every table of the product whose rows have an id of their own. */
export function readFacts(url: string): Promise<Facts> {
  return connected(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid and a.attname = 'id'
       where n.nspname = 'outrider' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    );
    const facts = new Map<string, Set<string>>();
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ id: string }>(`select id::text from outrider.${name}`);
      facts.set(name, new Set(rows.map(({ id }) => id)));
    }
    return facts;
  });
}

/** What was there before and is not there now, as `table id`. */
export function lostOf(before: Facts, now: Facts): string[] {
  return [...before].flatMap(([table, ids]) =>
    [...ids].filter((id) => !now.get(table)?.has(id)).map((id) => `${table} ${id}`),
  );
}
