import { every } from '../../base/clock.ts';
import type { Database } from '../../postgres/database.ts';
import { GENERATION_CHANNEL } from '../generations.ts';
import type { RpcMessage } from '../rpc.ts';
import { RunningCalls } from './running-calls.ts';

/** What the announcement of a cancelled call begins with. */
const CANCEL = 'cancel ';

/** After this time (ms) a running call can be cancelled through another replica. */
const LISTEN_MS = 1_000;

/** `notifications/cancelled`: the call may run on any replica, so all of them hear of it. */
export class CancelledCalls {
  readonly #db: Database;
  readonly #running: RunningCalls;
  readonly #stopListening: () => void;

  constructor(db: Database, running: RunningCalls) {
    this.#db = db;
    this.#running = running;
    this.#stopListening = every(LISTEN_MS, async () => {
      // A connection inside a transaction hears nothing: while calls run, another one is there to hear of their end.
      if (running.size > 0) await db.pool.query('select 1');
    });
  }

  /** Cancels what the notifications among a session's messages name. */
  async cancel(sessionHash: Buffer, messages: readonly RpcMessage[]): Promise<void> {
    for (const { method, params } of messages) {
      const id = params['requestId'];
      if (method !== 'notifications/cancelled' || (typeof id !== 'string' && typeof id !== 'number')) continue;
      if (String(id).length > 200) continue;
      const name = RunningCalls.nameOf(sessionHash, id);
      if (this.#running.cancel(name)) continue;
      await this.#db.pool.query('select pg_notify($1, $2)', [GENERATION_CHANNEL, `${CANCEL}${name}`]);
    }
  }

  /** What was notified on the channel. @returns false when it is of no cancelled call */
  announced(payload: string): boolean {
    if (!payload.startsWith(CANCEL)) return false;
    this.#running.cancel(payload.slice(CANCEL.length));
    return true;
  }

  stop(): void {
    this.#stopListening();
  }
}
