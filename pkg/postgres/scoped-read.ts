import pg from 'pg';

/** Sets what an implicit transaction may see; prepared once per connection. */
const SCOPE = {
  name: 'scope_of_read',
  text: `select set_config('app.workspaces', $1, true), set_config('app.platform', $2, true), set_config('statement_timeout', $3, true), set_config('transaction_read_only', 'on', true)`,
};

/** What of pg's connection and query is used beyond its types. */
interface Connection {
  bind(config: object): void;
  execute(config: object): void;
}
interface Internals {
  prepare(connection: Connection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
type Callback = (error: Error | null | undefined, result: pg.QueryResult) => void;
const Query = pg.Query as unknown as new (
  config: pg.QueryConfig,
  values: undefined,
  callback: Callback,
) => Internals & pg.Submittable;

/** The values of a scope's settings. */
export interface ReadScope {
  workspaces: string;
  platform: 'on' | '';
  /** Milliseconds after which the server ends the statement. */
  timeoutMs: number;
}

/**
 * One statement together with its scope in one round trip: both go out before one Sync, which makes them a single
 * implicit transaction (PostgreSQL, Extended Query, Pipelining). Nothing outlives it in the connection, so poolers
 * between are safe, and a write is refused by the server.
 */
class ScopedQuery extends Query {
  readonly #scope: ReadScope;
  #scoped = false;

  constructor(config: pg.QueryConfig, scope: ReadScope, callback: Callback) {
    super({ ...config, queryMode: 'extended' } as pg.QueryConfig, undefined, callback);
    this.#scope = scope;
  }

  override prepare(connection: Connection): void {
    connection.bind({
      statement: SCOPE.name,
      values: [this.#scope.workspaces, this.#scope.platform, String(this.#scope.timeoutMs)],
    });
    connection.execute({});
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#scoped) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#scoped) super.handleCommandComplete(message, connection);
    this.#scoped = true;
  }
}

/** Prepares a new connection for scoped reads. */
export async function prepareScopedReads(client: pg.ClientBase): Promise<void> {
  await client.query({ ...SCOPE, values: ['', '', '0'] });
}

/** Runs one statement under a scope. */
export function scopedRead(client: pg.ClientBase, config: pg.QueryConfig, scope: ReadScope): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(
      new ScopedQuery(config, scope, (error, result) => {
        if (error) reject(Object.assign(error, { statement: config.name }));
        else resolve(result);
      }),
    );
  });
}
