import pg from 'pg';
import { monotonicMs } from '../base/clock.ts';
import { FencedError } from '../base/errors.ts';
import { cutOff, streamOf, writeTogether } from './client-stream.ts';
import { ConnectionGate, type ConnectionShares } from './connection-gate.ts';
import { OwnClient } from './own-client.ts';
import { PlanRenewal } from './plan-renewal.ts';
import { Pulse } from './pulse.ts';
import { type Found, isPlanGone, type ReadScope, scopedRead } from './read-batch.ts';
import { ReadPipes } from './read-pipes.ts';
import { beginPooled, type SessionSettings, sessionOf } from './session-settings.ts';
import { StatementNames } from './statement-names.ts';
import { probe, WatchedPool } from './watched-pool.ts';

// bigint columns hold epoch milliseconds and counts: far below 2^53.
pg.types.setTypeParser(20, (text) => Number(text));
pg.types.setTypeParser(1184, (text) => Date.parse(text));

/**
 * What a transaction may see; row-level security enforces it, whatever the query says.
 * `workspaces`: these tenants; `caller`: who waits for it, by whom connections are counted too (see ConnectionGate). `platform`: everything (operator, admin tools, authentication). `claim`: what the
 * claim token proves (executors); with `lookups` its statements find their rows by index, whatever the planner guesses of a
 * batch's size. `none`: only what has no tenant.
 */
export type Scope =
  | { kind: 'workspaces'; ids: readonly string[]; caller?: string }
  | { kind: 'platform' }
  | { kind: 'claim'; token: string; lookups?: boolean }
  | { kind: 'none' };

/** A query interface bound to one transaction. Rows come from our own schema and are trusted. */
export interface Tx {
  rows<T>(text: string, values?: unknown[]): Promise<T[]>;
  /** The first row, or undefined. */
  row<T>(text: string, values?: unknown[]): Promise<T | undefined>;
  /** Number of rows affected. */
  exec(text: string, values?: unknown[]): Promise<number>;
  /** A named (prepared) statement for hot paths; the name must be unique to the text. */
  named<T>(name: string, text: string, values?: unknown[]): Promise<T[]>;
  /** Runs `work`; the server ends a statement of it after `timeoutMs` (SQLSTATE 57014). */
  limited<T>(timeoutMs: number, work: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * The last statements of a transaction, sent already: in a pipeline its commit goes out behind them instead of after their
 * answers. When one of them fails, the server takes the commit for a rollback, and the transaction fails with its error.
 */
export class LastAnswers<T> {
  readonly answers: Promise<T>;

  constructor(answers: Promise<T>) {
    this.answers = answers;
    // The one who awaits it hears of it; until then nobody may.
    answers.catch(() => undefined);
  }
}

export interface DatabaseOptions {
  url: string;
  /** Connections at most. Executors: 2. */
  max: number;
  applicationName: string;
  /** How many of them one tenant may hold; absent: all, where there is one tenant or no caller from outside. */
  shares?: ConnectionShares;
  /** Real ms that a transaction of a tenant waits for a lock; then it fails with SQLSTATE 55P03 (see againWhenFree). Absent: until its statement ends. */
  lockTimeoutMs?: number;
  /** What its sessions rely on otherwise than all others. */
  settings?: SessionSettings;
  /** Milliseconds a statement may run; the server ends that of a read, the client gives up another. Default 15,000. */
  statementTimeoutMs?: number;
  /** Connections that reads share beside the pool (see ReadPipes); 0 where reads are few. */
  readPipes?: number;
  /** Keeps plans of statements that come again and again; for long-lived processes that repeat the same few. */
  prepare?: boolean;
  /** Statements of a transaction that are asked for together leave together, the first one with the beginning. */
  pipeline?: boolean;
  /**
   * A pooler in transaction mode stands between (PgBouncer): nothing may be kept in a connection, neither prepared
   * statements nor LISTEN.
   */
  pooled?: boolean;
  /**
   * Watches whether the server answers at all: while it hangs, everything fails at once with DatabaseSilent instead of
   * waiting for its timeout. Hears when it ceases and begins again to answer.
   */
  onAnswering?: (answering: boolean) => void;
  /** Hears what is notified, on every connection; of an own transaction before its commit returns. */
  listen?: { channel: string; heard: (payload: string) => void; onGap: () => void };
}

/** A pool of connections of one role, with transactions that always carry a scope. */
export class Database {
  readonly pool: pg.Pool;
  readonly #max: number;
  readonly #connection: pg.ClientConfig;
  readonly #names: StatementNames | undefined;
  readonly #pipes: ReadPipes | undefined;
  readonly #pooled: boolean;
  readonly #pipeline: boolean;
  readonly #pulse: Pulse | undefined;
  readonly #plans = new PlanRenewal();
  /** Connections that were given out. */
  readonly #working = new Set<pg.PoolClient>();
  readonly #timeoutMs: number;
  readonly #gate: ConnectionGate | undefined;
  readonly #lockTimeoutMs: number | undefined;
  /** Begins a transaction on a server, by whether it is of PostgreSQL 17 or later. */
  readonly #begins: { old: string; new: string };

  constructor(options: DatabaseOptions) {
    const { listen, pooled = false } = options;
    this.#timeoutMs = options.statementTimeoutMs ?? 15_000;
    this.#max = options.max;
    this.#gate = options.shares ? new ConnectionGate(options.shares) : undefined;
    this.#lockTimeoutMs = options.lockTimeoutMs;
    this.#pooled = pooled;
    this.#begins = pooled
      ? { old: beginPooled(options.settings), new: beginPooled(options.settings, true) }
      : { old: 'begin', new: 'begin' };
    this.#pipeline = options.pipeline ?? false;
    if (pooled && (listen || options.readPipes || options.prepare)) {
      throw new Error('behind a pooler in transaction mode nothing is kept in a connection');
    }
    this.#names = options.prepare ? new StatementNames() : undefined;
    const connection = {
      ...(pooled ? { connectionString: options.url } : sessionOf(options.url, options.settings)),
      application_name: options.applicationName,
      connectionTimeoutMillis: 5_000,
      query_timeout: this.#timeoutMs + 5_000,
      keepAlive: true,
    };
    this.#connection = connection;
    this.#pulse = options.onAnswering ? this.#watch(connection, options.onAnswering) : undefined;
    const heard = (): void => this.#pulse?.heard();
    this.#pipes = options.readPipes ? new ReadPipes(connection, options.readPipes, heard) : undefined;
    this.pool = new WatchedPool(() => this.#pulse?.requireAnswers(), {
      ...connection,
      Client: OwnClient,
      ...{ pooled },
      ...(this.#pipeline ? { pipeline: true } : {}),
      max: options.max,
      idleTimeoutMillis: 30_000,
      // The pool waits for it, though its types do not say so; a connection that fails here serves nobody.
      onConnect: (client) => (listen ? listenOn(client, listen) : undefined),
    });
    // A connection lost while idle is replaced by the pool; without a listener it would end the process.
    this.pool.on('error', () => undefined);
    // One lost while in use fails its query; its own event, unheard, would end the process too.
    this.pool.on('connect', (client) => {
      client.on('error', () => undefined);
      if (this.#pulse) streamOf(client).on('data', heard);
    });
    this.pool.on('acquire', (client) => this.#working.add(client));
    this.pool.on('release', (_error, client) => this.#working.delete(client));
    this.pool.on('remove', (client) => this.#working.delete(client));
  }

  #watch(connection: pg.ClientConfig, onState: (answering: boolean) => void): Pulse {
    return new Pulse({
      busy: () => {
        const { totalCount, idleCount, waitingCount } = this.pool;
        return totalCount > idleCount || waitingCount > 0 || (this.#pipes?.inFlight ?? 0) > 0;
      },
      probe: () => probe(connection),
      giveUp: () => {
        this.#pipes?.giveUp();
        for (const client of this.#working) cutOff(client);
      },
      onState,
    });
  }

  /**
   * Runs `work` in one transaction under `scope`; commits when it resolves, rolls back when it throws.
   * @throws FencedError when the claim token of the scope is stale; UserError when its tenant holds its share of connections
   */
  async tx<T>(scope: Scope, work: (tx: Tx) => Promise<T | LastAnswers<T>>): Promise<T> {
    if (!this.#gate || scope.kind !== 'workspaces') return this.#transaction(scope, work);
    const leave = await this.#gate.enter(scope.ids, scope.caller);
    try {
      return await this.#transaction(scope, work);
    } finally {
      leave();
    }
  }

  async #transaction<T>(scope: Scope, work: (tx: Tx) => Promise<T | LastAnswers<T>>): Promise<T> {
    const client = await this.pool.connect();
    const tx = new ClientTx(client, { names: this.#names, keeps: !this.#pooled, pipeline: this.#pipeline });
    let broken: Error | undefined;
    try {
      if (this.#pipeline) writeTogether(client);
      // What an executor repeats for hours; others ask for too many things to keep many plans.
      const renewed = scope.kind === 'claim' && this.#plans.due(client) ? '; discard plans' : '';
      const opened =
        scope.kind === 'claim'
          ? this.#enter(client, renewed, scope)
          : client.query(`${this.#begin(client)}${scopeStatements(scope, this.#lockTimeoutMs)}`);
      // What is sent behind a refused scope is refused with it; the reason is that of the scope.
      opened.catch(() => undefined);
      if (!this.#pipeline) await opened;
      const result = await work(tx).catch(async (error: unknown) => {
        await opened;
        throw error;
      });
      if (result instanceof LastAnswers && !this.#pipeline) await result.answers;
      tx.end();
      return await (result instanceof LastAnswers
        ? this.#commitBehind(client, opened, result)
        : this.#commit(client, opened, result));
    } catch (error) {
      tx.end();
      // Its kept plans are of before a migration: the next transaction takes another connection.
      broken = (await rollback(client)) ?? (isPlanGone(error) ? error : undefined);
      throw toFenced(error);
    } finally {
      client.release(broken);
    }
  }

  #begin(client: pg.PoolClient): string {
    return client instanceof OwnClient && client.isSince17 ? this.#begins.new : this.#begins.old;
  }

  /**
   * Begins a transaction under a claim. The token is a parameter and no part of a statement: the texts of statements stand in
   * pg_stat_activity, where every executor would read what the others present, and in the server's log.
   */
  async #enter(
    client: pg.PoolClient,
    behind: string,
    { token, lookups = false }: Extract<Scope, { kind: 'claim' }>,
  ): Promise<void> {
    const text = `select ${lookups ? 'app.find_by_index(), ' : ''}app.enter($1)`;
    const enter = { text, values: [token] };
    const begun = client.query(`${this.#begin(client)}${behind}`);
    if (!this.#pipeline) await begun;
    const entered = client.query(this.#pooled ? enter : { ...enter, name: lookups ? 'enter_for_lookups' : 'enter' });
    await Promise.all([begun, entered]);
  }

  async #commit<T>(client: pg.PoolClient, opened: Promise<unknown>, result: T): Promise<T> {
    await opened;
    await client.query('commit');
    return result;
  }

  async #commitBehind<T>(client: pg.PoolClient, opened: Promise<unknown>, { answers }: LastAnswers<T>): Promise<T> {
    writeTogether(client);
    const committed = client.query('commit');
    committed.catch(() => undefined);
    await opened;
    const result = await answers;
    await committed;
    return result;
  }

  /**
   * Runs reads under `scope`, each in a transaction of its own in one round trip; a write is refused. As under READ
   * COMMITTED, each statement sees what was committed before it.
   */
  async read<T>(scope: Exclude<Scope, { kind: 'claim' }>, work: (tx: Tx) => Promise<T>): Promise<T> {
    this.#pulse?.requireAnswers();
    if (this.#pooled) return this.tx(scope, (tx) => tx.exec('set transaction read only').then(() => work(tx)));
    const own = new OwnConnection(this.pool, this.#pipes);
    const usual = readScopeOf(scope, this.#timeoutMs);
    const run = (statement: Statement, timeoutMs?: number): Promise<Found> => {
      const seen = timeoutMs === undefined ? usual : { ...usual, timeoutMs };
      return this.#pipes?.run(statement, seen) ?? own.run(statement, seen);
    };
    try {
      return await work(new ReadTx(run, this.#names));
    } finally {
      own.release();
    }
  }

  /**
   * Asks whether the server answers; on a connection of its own while all others work, for that they wait for each other says
   * nothing of the server. @throws when it does not answer in a few seconds
   */
  async ping(): Promise<void> {
    this.#pulse?.requireAnswers();
    const { inUse, max } = this.load();
    if (inUse >= max) await probe(this.#connection);
    else await this.pool.query('select 1');
  }

  /** Connections that work, transactions that wait for one, and connections at most, now. */
  load(): { inUse: number; waiting: number; max: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { inUse: totalCount - idleCount, waiting: waitingCount, max: this.#max };
  }

  async close(): Promise<void> {
    this.#pulse?.stop();
    await this.#pipes?.close();
    await this.pool.end();
  }
}

async function listenOn(client: pg.ClientBase, listen: NonNullable<DatabaseOptions['listen']>): Promise<void> {
  client.on('notification', (message) => listen.heard(message.payload ?? ''));
  client.on('error', listen.onGap);
  // Behind what the client says of itself (see OwnClient): pg warns of a statement that is given while another waits.
  await Promise.resolve();
  await client.query(`listen ${listen.channel}`);
}

interface ClientTxOptions {
  names: StatementNames | undefined;
  /** Named statements may be kept. */
  keeps: boolean;
  pipeline: boolean;
}

class ClientTx implements Tx {
  readonly #client: pg.PoolClient;
  readonly #options: ClientTxOptions;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  /** Why the transaction fails: of its first statement that did. */
  #cause: unknown;

  constructor(client: pg.PoolClient, options: ClientTxOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Its commit or rollback goes out: what comes now would run outside of it. */
  end(): void {
    this.#ended = true;
  }

  async rows<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.#query(text, values)).rows as T[];
  }

  async row<T>(text: string, values: unknown[] = []): Promise<T | undefined> {
    return (await this.rows<T>(text, values))[0];
  }

  async exec(text: string, values: unknown[] = []): Promise<number> {
    return (await this.#query(text, values)).rowCount ?? 0;
  }

  #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = this.#options.names?.of(text);
    return this.#send(name === undefined ? { text, values } : { name, text, values });
  }

  /** In the order of the calls; a connection without a pipeline has one statement under way. */
  #send(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#ended) return Promise.reject(tooLate());
    if (this.#options.pipeline) {
      writeTogether(this.#client);
      return this.#answer(statement);
    }
    // One that waited behind another which failed would leave after the rollback.
    const sent = this.#last.then(() => (this.#ended ? Promise.reject(tooLate()) : this.#answer(statement)));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  /** What follows a failure in the same packet fails as well; the one who hears of that first is told the cause, by which it is judged. */
  #answer(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#client.query(statement).catch((error: { code?: string }) => {
      this.#cause ??= error;
      throw error.code === ABORTED ? this.#cause : error;
    });
  }

  async named<T>(name: string, text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.#send(this.#options.keeps ? { name, text, values } : { text, values })).rows as T[];
  }

  async limited<T>(timeoutMs: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    const row = await this.row<{ before: string }>(
      `select current_setting('statement_timeout') as before, set_config('statement_timeout', $1, true)`,
      [String(timeoutMs)],
    );
    const result = await work(this);
    await this.exec(`select set_config('statement_timeout', $1, true)`, [row?.before ?? '0']);
    return result;
  }
}

/** in_failed_sql_transaction. */
const ABORTED = '25P02';

function tooLate(): Error {
  return new Error('a statement came after the end of its transaction');
}

type Statement = Parameters<typeof scopedRead>[1];

/** A connection of the pool, taken when it is needed first. */
class OwnConnection {
  readonly #pool: pg.Pool;
  readonly #pipes: ReadPipes | undefined;
  #client: Promise<pg.PoolClient> | undefined;
  #broken: Error | undefined;

  constructor(pool: pg.Pool, pipes: ReadPipes | undefined) {
    this.#pool = pool;
    this.#pipes = pipes;
  }

  async run(statement: Statement, scope: ReadScope): Promise<Found> {
    this.#client ??= this.#pool.connect();
    const client = await this.#client;
    const started = monotonicMs();
    const found = await scopedRead(client, statement, scope).catch((error: Error & { severity?: string }) => {
      // Anything else than the answer to a statement is the end of a connection.
      if (error.severity !== 'ERROR') this.#broken = error;
      throw error;
    });
    if (statement.name !== undefined) this.#pipes?.took(statement.name, monotonicMs() - started);
    return found;
  }

  release(): void {
    this.#client?.then(
      (client) => client.release(this.#broken),
      () => undefined,
    );
  }
}

class ReadTx implements Tx {
  readonly #run: (statement: Statement, timeoutMs?: number) => Promise<Found>;
  readonly #names: StatementNames | undefined;

  constructor(run: (statement: Statement, timeoutMs?: number) => Promise<Found>, names: StatementNames | undefined) {
    this.#run = run;
    this.#names = names;
  }

  async rows<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.#run({ name: this.#names?.of(text), text, values })).rows as T[];
  }

  async row<T>(text: string, values: unknown[] = []): Promise<T | undefined> {
    return (await this.rows<T>(text, values))[0];
  }

  async exec(text: string, values: unknown[] = []): Promise<number> {
    return (await this.#run({ name: undefined, text, values })).rowCount;
  }

  async named<T>(name: string, text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.#run({ name, text, values })).rows as T[];
  }

  limited<T>(timeoutMs: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    return work(new ReadTx((config) => this.#run(config, timeoutMs), this.#names));
  }
}

function readScopeOf(scope: Exclude<Scope, { kind: 'claim' }>, timeoutMs: number): ReadScope {
  if (scope.kind === 'workspaces') return { workspaces: scope.ids.join(','), platform: '', timeoutMs };
  return { workspaces: '', platform: scope.kind === 'platform' ? 'on' : '', timeoutMs };
}

function waitsFor(lockTimeoutMs: number | undefined): string {
  return lockTimeoutMs === undefined ? '' : `set local lock_timeout = ${Math.round(lockTimeoutMs)}; `;
}

/** The scope, behind BEGIN in one round trip (simple protocol, hence literals). */
function scopeStatements(scope: Exclude<Scope, { kind: 'claim' }>, lockTimeoutMs: number | undefined): string {
  switch (scope.kind) {
    case 'workspaces':
      return `; ${waitsFor(lockTimeoutMs)}select set_config('app.workspaces', ${pg.escapeLiteral(scope.ids.join(','))}, true)`;
    case 'platform':
      return `; select set_config('app.platform', 'on', true)`;
    case 'none':
      return '';
  }
}

async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function toFenced(error: unknown): unknown {
  const code = (error as { code?: string } | null)?.code;
  return code === 'OU001' ? new FencedError('the claim of this executor is stale') : error;
}
