import pg from 'pg';
import { cutOff } from './client-stream.ts';
import { OwnClient } from './own-client.ts';

/** Milliseconds that a server has to answer a connection of its own. */
const PROBE_MS = 3_000;

/** Asks on a new connection. @throws when there is no answer in time */
export async function probe(connection: pg.ClientConfig): Promise<void> {
  const client = new OwnClient({ ...connection, connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    cutOff(client);
  }
}

type Connected = Parameters<pg.Pool['connect']>[0];

/** Gives out no connection while the server is known not to answer. */
export class WatchedPool extends pg.Pool {
  readonly #require: () => void;

  /** @param requireAnswers throws while the server does not answer */
  constructor(requireAnswers: () => void, config: pg.PoolConfig) {
    super(config);
    this.#require = requireAnswers;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  // biome-ignore lint/suspicious/noConfusingVoidType: as the overloads of pg have it
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    try {
      this.#require();
    } catch (error) {
      if (!callback) return Promise.reject(error);
      callback(error as Error, undefined, () => undefined);
      return;
    }
    if (!callback) return super.connect();
    super.connect(callback);
  }
}
