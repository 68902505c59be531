import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Database, Tx } from '../../postgres/database.ts';
import { appendEvent, lockStream } from '../../store/sessions/stream-events.ts';

/** An event as it is sent again. */
export interface LoggedEvent {
  seq: number;
  data: string;
  last: boolean;
}

/** Stream of a session that GET opens; the answers of calls have streams of their own. */
export const STANDING = 'get';

/** Events per stream at most; older ones are forgotten first. */
const MAX_EVENTS = 500;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;

/** A session as its holder knows it. */
export interface SessionKey {
  hash: Buffer;
  token: string;
}

/**
 * What was sent on the event streams of sessions, for a quarter of an hour, so that any replica can send it again after
 * Last-Event-ID. Answers may hold secrets and personal data: the database has them sealed, and the key is made from the
 * session's token, which only its client has.
 */
export class EventLog {
  readonly #db: Database;
  readonly #secret: string;

  constructor(db: Database, secret: string) {
    this.#db = db;
    this.#secret = secret;
  }

  /**
   * Keeps the next event of a stream.
   * @param claim in the same transaction; false when the event is not to be told any more
   * @returns its number, from 1; undefined when it was not claimed
   */
  async append(
    session: SessionKey,
    stream: string,
    event: { data: string; last: boolean },
    claim: (tx: Tx) => Promise<boolean> = async () => true,
  ): Promise<number | undefined> {
    const sealed = this.#seal(session, event.data);
    return this.#db.tx({ kind: 'none' }, async (tx) => {
      const of = { sessionHash: session.hash, stream };
      await lockStream(tx, of);
      if (!(await claim(tx))) return undefined;
      return appendEvent(tx, of, { sealed, last: event.last }, { most: MAX_EVENTS, standing: STANDING });
    });
  }

  /** The number of the newest event of a stream; 0 before the first. */
  async newest(session: SessionKey, stream: string): Promise<number> {
    const row = await this.#db.tx({ kind: 'none' }, (tx) =>
      tx.row<{ seq: number }>(
        'select coalesce(max(seq), 0) as seq from stream_event where session_hash = $1 and stream = $2',
        [session.hash, stream],
      ),
    );
    return row?.seq ?? 0;
  }

  /** The events of a stream after a number, in order. */
  async after(session: SessionKey, stream: string, seq: number): Promise<LoggedEvent[]> {
    const rows = await this.#db.tx({ kind: 'none' }, (tx) =>
      tx.rows<{ seq: number; sealed: Buffer; last: boolean }>(
        'select seq, sealed, last from stream_event where session_hash = $1 and stream = $2 and seq > $3 order by seq',
        [session.hash, stream, seq],
      ),
    );
    return rows.map((row) => ({ seq: row.seq, last: row.last, data: this.#open(session, row.sealed) }));
  }

  #seal(session: SessionKey, text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(session), nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  #open(session: SessionKey, sealed: Buffer): string {
    const cipher = createDecipheriv('aes-256-gcm', this.#keyOf(session), sealed.subarray(0, NONCE_BYTES));
    cipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]).toString('utf8');
  }

  #keyOf(session: SessionKey): Buffer {
    return Buffer.from(hkdfSync('sha256', session.token, this.#secret, 'outrider stream events', 32));
  }
}

/** @returns undefined for what is no event id of ours */
export function parseEventId(text: string): { stream: string; seq: number } | undefined {
  const [, stream, seq] = /^([A-Za-z0-9-]{1,40})\.([0-9]{1,9})$/.exec(text) ?? [];
  return stream === undefined ? undefined : { stream, seq: Number(seq) };
}
