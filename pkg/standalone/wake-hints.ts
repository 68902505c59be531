import type pg from 'pg';
import { sleepReal } from '../base/clock.ts';
import { OwnClient } from '../postgres/own-client.ts';
import { sessionOf } from '../postgres/session-settings.ts';

/** Who is told that work was brought forward. */
export interface WakeHintTargets {
  workspace: (workspaceId: string) => void;
  account: (accountId: string) => void;
}

/** Listens for work that was brought forward; reconnects, since a hint that is lost costs only time. */
export class WakeHints {
  readonly #url: string;
  readonly #targets: WakeHintTargets;
  #client: pg.Client | undefined;
  #stopped = false;

  constructor(url: string, targets: WakeHintTargets) {
    this.#url = url;
    this.#targets = targets;
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
    const client = new OwnClient({ ...sessionOf(this.#url), connectionTimeoutMillis: 5_000, keepAlive: true });
    this.#client = client;
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', (message) => {
      const { channel, payload } = message;
      if (!payload) return;
      if (channel === 'outrider_account_wake') this.#targets.account(payload);
      else this.#targets.workspace(payload);
    });
    await client.connect();
    await client.query('listen outrider_wake; listen outrider_account_wake');
    await ended;
  }
}
