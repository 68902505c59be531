import { monotonicMs } from '../../base/clock.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { claimChange, leaveStream, tellOnStream } from '../../store/sessions/subscriptions.ts';

/** A change of a record that a session listens to. */
export interface Change {
  uri: string;
  /** Version that was told last, and the one that is to be told. */
  seen: string;
  version: string;
}

/** Real ms after which a change that the newest stream did not tell is told by any other: its replica may be gone. */
const LATE_MS = 30_000;

/**
 * Which stream of a session tells of changes: one of them, and of several the newest, on whichever replicas they are. A client
 * that lost its connection comes back long before its old one is known to be dead, and hears nothing of what is told there.
 */
export class SessionChanges {
  readonly #db: Database;
  readonly #sessionHash: Buffer;
  readonly #streamId: string;
  /** Changes that another stream has to tell, with the monotonic ms at which they were found. */
  readonly #left = new Map<string, { version: string; since: number }>();

  constructor(db: Database, sessionHash: Buffer, streamId: string) {
    this.#db = db;
    this.#sessionHash = sessionHash;
    this.#streamId = streamId;
  }

  /** From here on this stream tells, until it ends or a newer one begins. */
  async begin(ended: AbortSignal): Promise<void> {
    await this.#db.tx({ kind: 'none' }, (tx) => tellOnStream(tx, this.#sessionHash, this.#streamId));
    ended.addEventListener('abort', () => void this.#end().catch(() => undefined), { once: true });
  }

  /** @returns whether this stream is to tell of the change, which counts as told then */
  async claim(tx: Tx, { uri, seen, version }: Change): Promise<boolean> {
    const change = { sessionHash: this.#sessionHash, uri, seen, version, streamId: this.#streamId };
    const claimed = await claimChange(tx, { ...change, late: this.#isLate(uri, version) });
    if (claimed) this.#left.delete(uri);
    return claimed;
  }

  /** Whether the newest stream had its time. */
  #isLate(uri: string, version: string): boolean {
    const left = this.#left.get(uri);
    const now = monotonicMs();
    if (left?.version === version) return now - left.since >= LATE_MS;
    this.#left.set(uri, { version, since: now });
    return false;
  }

  async #end(): Promise<void> {
    await this.#db.tx({ kind: 'none' }, (tx) => leaveStream(tx, this.#sessionHash, this.#streamId));
  }
}
