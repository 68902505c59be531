import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { SINCE_17, settingsIn } from './session-settings.ts';

/** How a client is opened. */
export interface OwnClientConfig extends pg.ClientConfig {
  /** A pooler in transaction mode stands between: nothing may be set for the session. */
  pooled?: boolean;
}

/**
 * A client whose session has its settings also where a pooler passes over startup parameters, and those that only newer servers
 * know, which an older one would refuse there. The server says its version before the first statement can leave, so theirs leaves
 * first, and nobody waits for it.
 */
export class OwnClient extends pg.Client {
  #version = 0;

  constructor(config: OwnClientConfig = {}) {
    super(config);
    // pg's types leave it out.
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
      if (status.parameterName === 'server_version') this.#version = Number.parseInt(status.parameterValue, 10);
    });
    connection.on('errorMessage', explain);
    connection.once('readyForQuery', () => {
      if (config.pooled === true) return;
      const wanted = { ...settingsIn(config.options), ...(this.isSince17 ? SINCE_17 : {}) };
      const set = Object.entries(wanted).map(
        ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
      );
      if (set.length > 0) this.query(`select ${set.join(', ')}`).catch(() => undefined);
    });
  }

  /** Whether the server knows the settings of SINCE_17; once it is connected. */
  get isSince17(): boolean {
    return this.#version >= 17;
  }
}

/** What to do about a pooler that refuses the settings; any other error stays as it is. */
function explain(error: Error): void {
  if (!error.message.startsWith('unsupported startup parameter')) return;
  error.message = `A pooler in front of Postgres refuses the settings of the session (${error.message}). In pgbouncer.ini set pool_mode = session and ignore_startup_parameters = options, or let this program reach Postgres directly: docs/install.md, "a pooler".`;
}
