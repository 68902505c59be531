import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/**
 * What the sandbox keeps: a file of its own, apart from the product's database, so that its ledger can judge the
 * product. Columns `*_at` are product time in epoch ms, `*_real` real time in epoch ms.
 */
const SCHEMA = `
create table if not exists account (
  id text primary key, status text not null default 'OK', created_at integer not null);
create table if not exists identity (
  provider_id text primary key, account_id text not null, public_id text not null, unique (account_id, public_id));
create table if not exists received (
  seq integer primary key autoincrement, at integer not null, account_id text not null, kind text not null,
  public_id text not null, idempotency_key text, text text);
create table if not exists invitation (
  row integer primary key autoincrement, id text not null unique, account_id text not null,
  public_id text not null, text text,
  sent_at integer not null, state text not null default 'pending', visible_real integer not null default 0,
  gone_real integer not null default 0);
create index if not exists invitation_person on invitation (account_id, public_id);
create table if not exists relation (
  row integer primary key autoincrement, account_id text not null, public_id text not null,
  connected_at integer not null,
  unique (account_id, public_id));
create table if not exists removed (
  account_id text not null, public_id text not null, primary key (account_id, public_id));
create table if not exists chat (
  id text primary key, account_id text not null, public_id text not null, last_at integer not null,
  last_row integer not null,
  unread integer not null default 0, inmail integer not null default 0, unique (account_id, public_id));
create index if not exists chat_newest on chat (account_id, last_row);
create table if not exists message (
  row integer primary key autoincrement, id text not null unique, chat_id text not null, account_id text not null,
  origin text not null check (origin in ('api', 'note', 'hand', 'person', 'reaction')), text text not null,
  at integer not null,
  visible_real integer not null default 0);
create index if not exists message_chat on message (chat_id, row);
create index if not exists message_account on message (account_id, row);
create table if not exists post (
  id text primary key, public_id text not null, posted_at integer not null, repost integer not null default 0);
create index if not exists post_person on post (public_id);
create table if not exists own_post (
  row integer primary key autoincrement, id text not null unique, account_id text not null, text text not null,
  at integer not null, files text not null default '[]', visible_real integer not null default 0,
  hidden integer not null default 0, sent text not null);
create index if not exists own_post_account on own_post (account_id, row);
create table if not exists reaction (
  account_id text not null, post_id text not null, kind text not null, primary key (account_id, post_id));
create table if not exists comment (
  row integer primary key autoincrement, id text not null unique, post_id text not null,
  account_id text not null, text text not null,
  at integer not null, visible_real integer not null default 0);
create index if not exists comment_post on comment (post_id, row);
create table if not exists endorsement (
  account_id text not null, public_id text not null, skill integer not null,
  primary key (account_id, public_id, skill));
create table if not exists inmail_credit (account_id text primary key, credits integer not null);
create table if not exists mail (
  row integer primary key autoincrement, mailbox text not null, folder text not null, raw text not null,
  at integer not null,
  visible_real integer not null default 0);
create index if not exists mail_folder on mail (mailbox, folder, row);
create table if not exists mail_person (address text primary key, behaviour text not null);
create table if not exists event (
  id integer primary key autoincrement, due_at integer not null, kind text not null, account_id text not null,
  public_id text not null, payload text not null default '{}');
create index if not exists event_due on event (due_at);
create table if not exists webhook (id text primary key, source text not null, body text not null);
create table if not exists person (public_id text primary key, behaviour text not null);
create table if not exists setting (name text primary key, value text not null);
`;

/** SQLite behind four verbs. Everything is synchronous, so a request is one transaction without interleaving. */
export class Store {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens `home/sandbox.db`, creating both. */
  constructor(home: string) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const file = join(home, 'sandbox.db');
    this.#db = new DatabaseSync(file, { timeout: 5_000 });
    chmodSync(file, 0o600);
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = normal;');
    this.#db.exec(SCHEMA);
  }

  all<T extends object>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#statement(sql).all(...values) as unknown as T[];
  }

  one<T extends object>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#statement(sql).get(...values) as unknown as T | undefined;
  }

  /** Returns the row id of an insert. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  /** All or nothing; the commit happens before this returns. */
  tx<T>(work: () => T): T {
    this.run('begin immediate');
    try {
      const result = work();
      this.run('commit');
      return result;
    } catch (error) {
      this.run('rollback');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
