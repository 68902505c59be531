import pg from 'pg';

/** The rows of one table: what `select t::text` says of each, which any version of Postgres reads back. */
export interface StoredTable {
  /** With its schema. */
  name: string;
  /** What can be written: all columns but the generated ones. */
  columns: { name: string; type: string }[];
  rows: string[];
}

/** A database's rows, without its schema. */
export interface StoredDatabase {
  tables: StoredTable[];
  /** Last value of each sequence. */
  sequences: Record<string, string>;
  /** Partitions that the program opened: month by month. */
  months: number[];
  /** Next transaction id: rows remember theirs, and what reads by them expects that none comes again. */
  xid: string;
}

const OURS = `n.nspname in ('outrider', 'app', 'public')`;

/** One connection for some work. */
export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Reads all rows. @param url of a superuser */
export function readDatabase(url: string): Promise<StoredDatabase> {
  return connected(url, async (client) => {
    const tables: StoredTable[] = [];
    for (const name of await tablesOf(client)) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from only ${name} t`);
      if (rows.length > 0)
        tables.push({ name, columns: await columnsOf(client, name), rows: rows.map(({ row }) => row).sort() });
    }
    const sequences = await client.query<{ name: string; value: string }>(
      `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
       where schemaname in ('outrider', 'app', 'public') and last_value is not null order by 1`,
    );
    const months = await client.query<{ at: string }>(
      `select (regexp_match(pg_get_expr(c.relpartbound, c.oid), '\\((?:'')?(\\d+)'))[1] as at from pg_class c
       where c.relkind = 'r' and c.oid::regclass::text ~ '^(outrider\\.)?run_event_\\d' order by 1`,
    );
    const xid = await client.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
    return {
      tables,
      sequences: Object.fromEntries(sequences.rows.map(({ name, value }) => [name, value])),
      months: months.rows.map(({ at }) => Number(at)),
      xid: xid.rows[0]?.xid ?? '0',
    };
  });
}

/** Ordinary tables and partitions, with their schema. */
async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${OURS} and c.relkind = 'r' order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function columnsOf(client: pg.Client, table: string): Promise<StoredTable['columns']> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select quote_ident(attname) as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  return rows;
}

/**
 * Fills an empty database of the same schema.
 * @param url of a superuser
 * @param ageMs how long ago the rows were read, real ms: times of the machine's clock move by so much, so that the home stopped just now
 */
export function fillDatabase(url: string, stored: StoredDatabase, ageMs: number): Promise<void> {
  return connected(url, async (client) => {
    // Neither triggers nor references: the rows are as they were.
    await client.query(`set session_replication_role = replica`);
    const months = (await tablesOf(client)).includes('outrider.run_event_default') ? stored.months : [];
    for (const at of months) await client.query('select app.open_event_month($1)', [at]);
    await client.query(`truncate ${(await tablesOf(client)).join(', ')}`);
    for (const table of stored.tables) await fillTable(client, table, ageMs);
    for (const [name, value] of Object.entries(stored.sequences))
      await client.query('select setval($1, $2)', [name, value]);
    await passTransactions(client, stored.xid);
    await client.query('vacuum analyze');
  });
}

async function fillTable(client: pg.Client, { name, columns, rows }: StoredTable, ageMs: number): Promise<void> {
  const names = columns.map((column) => column.name).join(', ');
  const values = columns.map(({ name: column, type }) =>
    type === 'timestamp with time zone' ? `(r.t).${column} + make_interval(secs => $2)` : `(r.t).${column}`,
  );
  const values2 = values.join(', ');
  await client.query(
    `insert into ${name} (${names}) overriding system value
     select ${values2} from (select v::${name} as t from unnest($1::text[]) v) r where $2::float8 is not null`,
    [rows, ageMs / 1_000],
  );
}

/** Uses up transaction ids until those of the stored rows lie behind. */
async function passTransactions(client: pg.Client, xid: string): Promise<void> {
  await client.query('set synchronous_commit = off');
  await client.query(`do $$ begin while pg_current_xact_id() < '${BigInt(xid)}'::xid8 loop commit; end loop; end $$`);
}

/** The statements that make the tables of a database that no migration makes: columns, defaults and keys. */
export function readDefinitions(url: string): Promise<string[]> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ statement: string }>(
      `select format('create table %s (%s)', c.oid::regclass, concat_ws(', ',
         (select string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)) || case when a.attnotnull then ' not null' else '' end
            || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''), ', ' order by a.attnum)
          from pg_attribute a left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
         (select string_agg(pg_get_constraintdef(k.oid), ', ') from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'c')))) as statement
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS} and c.relkind = 'r' order by 1`,
    );
    return rows.map(({ statement }) => statement);
  });
}

/** Runs statements, as the owner of what they make. */
export function define(url: string, statements: readonly string[]): Promise<void> {
  return connected(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}
