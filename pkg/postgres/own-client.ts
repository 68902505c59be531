import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { SINCE_17 } from './session-settings.ts';

const SET_SINCE_17 = Object.entries(SINCE_17)
  .map(([name, value]) => `set ${name} = ${value}`)
  .join('; ');

/** How a client is opened. */
export interface OwnClientConfig extends pg.ClientConfig {
  /** A pooler in transaction mode stands between: nothing may be set for the session. */
  pooled?: boolean;
}

/**
 * A client whose session has the settings that only newer servers know, too: as a startup parameter an older server would
 * refuse them. The server says its version before the first statement can leave, so theirs leaves first, and nobody waits for it.
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
    connection.once('readyForQuery', () => {
      if (this.isSince17 && config.pooled !== true) this.query(SET_SINCE_17).catch(() => undefined);
    });
  }

  /** Whether the server knows the settings of SINCE_17; once it is connected. */
  get isSince17(): boolean {
    return this.#version >= 17;
  }
}
