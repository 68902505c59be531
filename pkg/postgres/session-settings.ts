import type pg from 'pg';

/** Where the schema's names are looked for. */
export const SEARCH_PATH = 'outrider, app, public';

/**
 * What the product relies on in a session, whatever `alter database`, `alter role` or postgresql.conf say: they were made
 * for others of the server, or by mistake, and each of these changes what a statement means, what outlives a crash, or who
 * ends whom. What only tunes (work_mem, random_page_cost, …) is the administrator's. Source: PostgreSQL 16, Client
 * Connection Defaults, Query Planning, Version and Platform Compatibility.
 */
const MEANING: Readonly<Record<string, string>> = {
  search_path: SEARCH_PATH,
  row_security: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  standard_conforming_strings: 'on',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // An answer is sent, and a message goes out, once its commit is on the disk.
  synchronous_commit: 'on',
  // The product ends its statements itself, or says per transaction when the server may.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '30s',
};

/** What only a session has: a transaction behind a pooler says it in its first statement, or does without. */
const SESSION: Readonly<Record<string, string>> = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  idle_session_timeout: '0',
  exit_on_error: 'off',
  check_function_bodies: 'on',
  gin_fuzzy_search_limit: '0',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
};

/** What only costs time where it is otherwise: an address may ask for another value. */
const PLANNER: Readonly<Record<string, string>> = {
  // Each plan is of milliseconds: compiling it takes longer than running it.
  jit: 'off',
  plan_cache_mode: 'auto',
  enable_bitmapscan: 'on',
  enable_hashagg: 'on',
  enable_hashjoin: 'on',
  enable_indexonlyscan: 'on',
  enable_indexscan: 'on',
  enable_material: 'on',
  enable_memoize: 'on',
  enable_mergejoin: 'on',
  enable_nestloop: 'on',
  enable_seqscan: 'on',
  enable_sort: 'on',
};

/** The same of servers since PostgreSQL 17; an older one refuses a connection that names it. */
export const SINCE_17: Readonly<Record<string, string>> = { transaction_timeout: '0' };

/** Every setting that a session brings with it, under the name that the server has for it. */
export const OWN_SETTINGS: Readonly<Record<string, string>> = { ...PLANNER, ...SESSION, ...MEANING };

/** What a connection relies on otherwise than the others: of another schema, or with time-outs of its own. */
export type SessionSettings = Readonly<Record<string, string>>;

/** Who changes the schema holds a transaction as long as it takes. */
export const OWNER_SESSION: SessionSettings = { idle_in_transaction_session_timeout: '0' };
/** An administrator's, and that of the embedded Kubernetes API's objects: outside of the schema. */
export const ADMIN_SESSION: SessionSettings = { ...OWNER_SESSION, search_path: 'public' };

/**
 * The part of a client's configuration that names the server and brings the settings: they are startup parameters
 * (`options`), which cost no round trip and win over every default. What the address itself asks for stays, but for what
 * changes the meaning of a statement.
 * @param url connection string
 */
export function sessionOf(
  url: string,
  own: SessionSettings = {},
): Required<Pick<pg.ClientConfig, 'connectionString' | 'options'>> {
  const { address, given } = withoutOptions(url);
  const options = [...optionsOf(PLANNER), ...given, ...optionsOf({ ...SESSION, ...MEANING, ...own })];
  return { connectionString: address, options: options.join(' ') };
}

function optionsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).map(([name, value]) => `-c ${name}=${escaped(value)}`);
}

/**
 * Begins a transaction behind a pooler in transaction mode, which takes no startup parameters: its settings are of this
 * transaction, in the round trip of `begin`.
 * @param since17 the server knows the settings of SINCE_17
 */
export function beginPooled(own: SessionSettings = {}, since17 = false): string {
  const set = Object.entries({ ...MEANING, ...(since17 ? SINCE_17 : {}), ...own }).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`,
  );
  return `begin isolation level read committed, read write, not deferrable; select ${set.join(', ')}`;
}

/** A blank and a backslash end a value unless a backslash stands before them. Source: PostgreSQL, libpq, options. */
function escaped(value: string): string {
  return value.replace(/[\\ ]/g, '\\$&');
}

/** The settings that startup `options` name, the last of a name wins. Source: PostgreSQL, libpq, options. */
export function settingsIn(options = ''): Record<string, string> {
  const named = options.matchAll(/(?:^|\s)(?:-c\s*|--)([^\s=]+)=((?:\\.|[^\s\\])*)/g);
  return Object.fromEntries([...named].map(([, name = '', value = '']) => [name, value.replace(/\\(.)/g, '$1')]));
}

/** An address whose own options would take the place of ours. */
function withoutOptions(url: string): { address: string; given: string[] } {
  const query = url.indexOf('?');
  if (query < 0) return { address: url, given: [] };
  const parameters = new URLSearchParams(url.slice(query + 1));
  const given = parameters.getAll('options');
  if (given.length === 0) return { address: url, given };
  parameters.delete('options');
  return { address: `${url.slice(0, query)}?${parameters}`, given };
}
