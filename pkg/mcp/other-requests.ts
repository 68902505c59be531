import { monotonicMs } from '../base/clock.ts';
import { HttpError } from '../base/http/http-error.ts';
import type { Authenticated } from './authentication.ts';
import { retrySeconds, WINDOW_MS } from './limits.ts';

/** Requests for each call that a key may make: a session begins with as many lists as there are. */
const PER_CALL = 5;
/** Whatever a workspace lowers its calls to, a client can begin and look around. */
const LEAST = 60;
/** Keys that are counted; forgotten together, which is a minute's worth. */
const MAX_KEYS = 50_000;

/**
 * Bounds what is no call of a tool (lists, pings, notifications, streams): each asks the limiter whether the session still holds, and a
 * list is hundreds of kilobytes, so without a bound one key's flood of them is felt by all others. Counted here, by each server apart:
 * exactness would cost the round trip that it is to spare.
 */
export class OtherRequests {
  readonly #now: () => number;
  readonly #windows = new Map<string, { until: number; taken: number }>();

  /** @param now monotonic ms */
  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** Internal callers are not limited. @throws HttpError 429 */
  count(
    { hash, caller, limits, owner }: Pick<Authenticated, 'hash' | 'caller' | 'limits' | 'owner'>,
    requests: number,
  ): void {
    if (hash === null || requests === 0) return;
    const now = this.#now();
    const most = Math.max(LEAST, limits.overall * PER_CALL);
    const own = this.#window(caller.keyId, now);
    const shared = owner && this.#window(owner.id, now);
    const times = owner?.times ?? 1;
    if (own.taken + requests > most) throw refused('A key makes', most, own.until - now);
    if (shared && shared.taken + requests > most * times)
      throw refused('All keys of a user or a workspace make', most * times, shared.until - now);
    own.taken += requests;
    if (shared) shared.taken += requests;
  }

  #window(keyId: string, now: number): { until: number; taken: number } {
    const known = this.#windows.get(keyId);
    if (known && now < known.until) return known;
    if (this.#windows.size >= MAX_KEYS) this.#windows.clear();
    const made = { until: now + WINDOW_MS, taken: 0 };
    this.#windows.set(keyId, made);
    return made;
  }
}

function refused(who: string, most: number, leftMs: number): HttpError {
  const seconds = retrySeconds(leftMs);
  const text = `${who} at most ${most} requests per minute that are no calls (lists, pings, streams). Retry after ${seconds}s.`;
  return new HttpError(429, text, { 'retry-after': String(seconds) });
}
