import pg from 'pg';
import { sleepReal } from '../base/clock.ts';

/** Listens for workspaces whose work was brought forward; reconnects, since a hint that is lost costs only time. */
export class WakeHints {
  readonly #url: string;
  readonly #onWake: (workspaceId: string) => void;
  #client: pg.Client | undefined;
  #stopped = false;

  constructor(url: string, onWake: (workspaceId: string) => void) {
    this.#url = url;
    this.#onWake = onWake;
  }

  /** Follows until `stop`. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      await this.#session().catch(() => undefined);
      if (!this.#stopped) await sleepReal(1_000);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #session(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 5_000, keepAlive: true });
    this.#client = client;
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', (message) => {
      if (message.payload) this.#onWake(message.payload);
    });
    await client.connect();
    await client.query('listen outrider_wake');
    await ended;
  }
}
