import { sleepReal } from '../base/clock.ts';
import { HttpError } from '../base/http/http-error.ts';

/** Bytes of bodies at once, of one key and of all; a body takes several times its size until its call is over. */
export interface RoomBounds {
  total: number;
  perKey: number;
  /** Real ms that a request waits for room before it is refused. */
  waitMs: number;
}

/** The part of a room that one body has. */
export interface Taken {
  /** The body turned out to be smaller. */
  shrink: (bytes: number) => void;
  release: () => void;
}

interface Waiting {
  keyId: string;
  bytes: number;
  granted: AbortController;
}

/**
 * Bounds what bodies hold in memory: who sends much at once, or slowly, waits before the first byte is read, and then the
 * network holds its bytes. One key leaves room for others.
 */
export class BodyRoom {
  readonly #bounds: RoomBounds;
  readonly #byKey = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #used = 0;

  constructor(bounds: RoomBounds) {
    this.#bounds = bounds;
  }

  /** Room for a body; undefined: it has to wait. */
  takeNow(keyId: string, bytes: number): Taken | undefined {
    if (!this.#fits(keyId, bytes)) return undefined;
    this.#add(keyId, bytes);
    return this.#taken(keyId, bytes);
  }

  /** Room for a body, as soon as there is some. @throws HttpError 429 when there is none in time */
  async wait(keyId: string, bytes: number): Promise<Taken> {
    const waiting = { keyId, bytes, granted: new AbortController() };
    this.#waiting.add(waiting);
    await sleepReal(this.#bounds.waitMs, waiting.granted.signal).catch(() => undefined);
    this.#waiting.delete(waiting);
    if (waiting.granted.signal.aborted) return this.#taken(keyId, bytes);
    throw new HttpError(429, 'Too much is being sent at once. Send one large body after the other, and retry.', {
      'retry-after': '2',
    });
  }

  #taken(keyId: string, bytes: number): Taken {
    let held = bytes;
    const shrink = (to: number): void => {
      const less = Math.max(0, held - to);
      held -= less;
      this.#add(keyId, -less);
      this.#grant();
    };
    return { shrink, release: () => shrink(0) };
  }

  /** In the order in which they came, those that fit. */
  #grant(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.keyId, waiting.bytes)) continue;
      this.#waiting.delete(waiting);
      this.#add(waiting.keyId, waiting.bytes);
      waiting.granted.abort();
    }
  }

  #fits(keyId: string, bytes: number): boolean {
    const { total, perKey } = this.#bounds;
    return this.#used + bytes <= total && (this.#byKey.get(keyId) ?? 0) + bytes <= perKey;
  }

  #add(keyId: string, bytes: number): void {
    this.#used += bytes;
    const own = (this.#byKey.get(keyId) ?? 0) + bytes;
    if (own > 0) this.#byKey.set(keyId, own);
    else this.#byKey.delete(keyId);
  }
}
