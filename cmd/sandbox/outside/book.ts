import type { Reply } from '../http.ts';
import type { Store } from '../store.ts';

const SCHEMA = `
create table if not exists outside_call (
  seq integer primary key autoincrement, at integer not null, service text not null, action text not null,
  about text not null,
  idempotency_key text, headers text not null, body text not null);
create table if not exists outside_object (
  id integer primary key autoincrement, service text not null, kind text not null, body text not null);
create table if not exists outside_reply (service text primary key, reply text not null);
`;

/** One thing that a service did, as tests read it. */
export interface Noted {
  seq: number;
  at: string;
  service: string;
  action: string;
  /** Whom or what it was about. */
  about: string;
  idempotencyKey: string | null;
  headers: Record<string, string>;
  body: unknown;
}

const opened = new WeakSet<Store>();

/** The store with the tables of the simulated services. */
function withTables(store: Store): Store {
  if (opened.has(store)) return store;
  for (const statement of SCHEMA.split(';').filter((text) => text.trim() !== '')) store.run(statement);
  opened.add(store);
  return store;
}

/** Writes what was done into the sandbox's ledger. */
export function note(store: Store, done: Omit<Noted, 'seq' | 'at'> & { at: number }): void {
  withTables(store).run(
    `insert into outside_call (at, service, action, about, idempotency_key, headers, body)
     values (?, ?, ?, ?, ?, ?, ?)`,
    done.at,
    done.service,
    done.action,
    done.about,
    done.idempotencyKey,
    JSON.stringify(done.headers),
    JSON.stringify(done.body ?? null),
  );
}

/** Everything that the services did, at most 10,000 lines. */
export function noted(store: Store): Noted[] {
  const rows = withTables(store).all<{
    seq: number;
    at: number;
    service: string;
    action: string;
    about: string;
    idempotency_key: string | null;
    headers: string;
    body: string;
  }>('select * from outside_call order by seq limit 10000');
  return rows.map(({ idempotency_key: idempotencyKey, ...row }) => ({
    ...row,
    idempotencyKey,
    at: new Date(row.at).toISOString(),
    headers: JSON.parse(row.headers),
    body: JSON.parse(row.body),
  }));
}

/** Keeps an object of a service. Returns its id. */
export function keep(store: Store, service: string, kind: string, body: object): number {
  const text = JSON.stringify(body);
  return withTables(store).run(
    'insert into outside_object (service, kind, body) values (?, ?, ?)',
    service,
    kind,
    text,
  );
}

export function change(store: Store, id: number, body: object): void {
  withTables(store).run('update outside_object set body = ? where id = ?', JSON.stringify(body), id);
}

export function kept<T extends object>(store: Store, service: string, kind: string): (T & { id: number })[] {
  const rows = withTables(store).all<{ id: number; body: string }>(
    'select id, body from outside_object where service = ? and kind = ? order by id limit 10000',
    service,
    kind,
  );
  return rows.map((row) => ({ ...(JSON.parse(row.body) as T), id: row.id }));
}

export function forget(store: Store, service: string, kind: string): void {
  withTables(store).run('delete from outside_object where service = ? and kind = ?', service, kind);
}

/** An answer to everything, or to what is asked below a path. */
type SetReply = Reply & { below?: string | undefined };

/** What a service answers until it is told otherwise; null: as it is. */
export function setReply(store: Store, service: string, reply: SetReply | null): void {
  if (reply === null) withTables(store).run('delete from outside_reply where service = ?', service);
  else withTables(store).run('insert or replace into outside_reply values (?, ?)', service, JSON.stringify(reply));
}

/** What a call of a service is answered, where it was told so. @param path of the call, below the service */
export function setReplyOf(store: Store, service: string, path: string): Reply | undefined {
  const row = withTables(store).one<{ reply: string }>('select reply from outside_reply where service = ?', service);
  const reply = row && (JSON.parse(row.reply) as SetReply);
  return reply && path.startsWith(reply.below ?? '') ? reply : undefined;
}
