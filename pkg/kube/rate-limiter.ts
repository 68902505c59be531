import type { Clock } from '../base/clock.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * When a key that failed may come back: the longer of its own exponential delay and a bucket shared by all
 * (client-go's default: 5 ms · 2ⁿ, 10 per second, burst 100; the cap is 5 min instead of 1,000 s, since a person
 * who repaired the cause waits for it, and it holds for both: after an outage that met thousands nobody waits for all).
 */
export class RateLimiter {
  readonly #failures = new Map<string, number>();
  readonly #bucket: TokenBucket;
  readonly #baseMs: number;
  readonly #capMs: number;

  constructor(clock: Clock, limits = { baseMs: 5, capMs: 300_000, perSecond: 10, burst: 100 }) {
    this.#bucket = new TokenBucket(clock, limits.perSecond, limits.burst);
    this.#baseMs = limits.baseMs;
    this.#capMs = limits.capMs;
  }

  /** Milliseconds until the key's next try; counts one failure. */
  when(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const own = Math.min(this.#capMs, this.#baseMs * 2 ** Math.min(failures, 40));
    return Math.max(own, this.#bucket.reserve(this.#capMs));
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
