import { monotonicMs } from '../base/clock.ts';
import type { Admission, AdmissionRequest, Limiter, RateLimits, Standing, Subject } from './limits.ts';

/** Windows that are remembered as full. */
const MAX_FULL = 50_000;

/**
 * Remembers which windows are full until they turn, so that a flood costs no round trip. Counts stay exact: a refused
 * call is never counted, wherever it is refused.
 */
export class RefusalMemory implements Limiter {
  readonly #inner: Limiter;
  /** `<key>:<window>` to the monotonic time at which it turns. */
  readonly #full = new Map<string, { until: number; limit: number }>();

  constructor(inner: Limiter) {
    this.#inner = inner;
  }

  /** The window that is known to refuse, or undefined. */
  known(keyId: string, category: keyof RateLimits, limits: RateLimits): Admission | undefined {
    if (this.#full.size === 0) return undefined;
    const overall = this.#left(keyId, 'overall', limits);
    const retryMs = overall > 0 ? overall : this.#left(keyId, category, limits);
    if (retryMs <= 0) return undefined;
    return { refused: overall > 0 ? 'overall' : category, retryMs, version: null, sessionEnded: false };
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { keyId, category, limits } = request;
    const known = this.known(keyId, category, limits);
    if (known) return known;
    const answer = await this.#inner.admit(request);
    if (answer.refused !== null) this.#remember(keyId, answer.refused, answer.retryMs, limits);
    return answer;
  }

  standing(subject: Subject): Promise<Standing> {
    return this.#inner.standing(subject);
  }

  stamp(keyId: string): Promise<void> {
    return this.#inner.stamp(keyId);
  }

  close(): void {
    this.#inner.close();
  }

  #left(keyId: string, window: keyof RateLimits, limits: RateLimits): number {
    const name = `${keyId}:${window}`;
    const full = this.#full.get(name);
    if (!full) return 0;
    const left = full.until - monotonicMs();
    // A limit that was raised meanwhile is asked again.
    if (left > 0 && full.limit === limits[window]) return left;
    this.#full.delete(name);
    return 0;
  }

  #remember(keyId: string, window: keyof RateLimits, retryMs: number, limits: RateLimits): void {
    if (this.#full.size >= MAX_FULL) this.#full.clear();
    this.#full.set(`${keyId}:${window}`, { until: monotonicMs() + retryMs, limit: limits[window] });
  }
}
