import { monotonicMs } from '../base/clock.ts';
import {
  type Admission,
  type AdmissionRequest,
  type Limiter,
  ownerLimits,
  type RateLimits,
  type Standing,
  type Subject,
} from './limits.ts';

/** Keys of which a full window is remembered. */
const MAX_KEYS = 50_000;

/** A window that refuses until it turns. */
interface Full {
  /** Monotonic ms. */
  until: number;
  limit: number;
}

/**
 * Remembers which windows are full until they turn, so that a flood costs no round trip. Counts stay exact: a refused
 * call is never counted, wherever it is refused.
 */
export class RefusalMemory implements Limiter {
  readonly #inner: Limiter;
  readonly #now: () => number;
  readonly #full = new Map<string, Partial<Record<keyof RateLimits, Full>>>();

  /** @param now monotonic ms */
  constructor(inner: Limiter, now: () => number = monotonicMs) {
    this.#inner = inner;
    this.#now = now;
  }

  /** Keys of which a window is remembered; it may have turned meanwhile. */
  get size(): number {
    return this.#full.size;
  }

  /** The window that is known to refuse, of the key or of its owner, or undefined. */
  known({ keyId, owner, category, limits }: Omit<AdmissionRequest, 'sessionHash'>): Admission | undefined {
    const own = this.#full.size === 0 ? undefined : this.#knownOf(keyId, category, limits);
    if (own || !owner || !this.#full.has(owner.id)) return own;
    const ofOwner = this.#knownOf(owner.id, category, ownerLimits(limits, owner.times));
    return ofOwner && { ...ofOwner, byOwner: true };
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { keyId, owner, limits } = request;
    const known = this.known(request);
    if (known) return known;
    const answer = await this.#inner.admit(request);
    if (answer.refused === null) return answer;
    if (answer.byOwner && owner)
      this.#remember(owner.id, answer.refused, answer.retryMs, ownerLimits(limits, owner.times));
    else this.#remember(keyId, answer.refused, answer.retryMs, limits);
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

  #knownOf(name: string, category: keyof RateLimits, limits: RateLimits): Admission | undefined {
    const windows = this.#full.get(name);
    if (!windows) return undefined;
    const now = this.#now();
    const overall = left(windows, 'overall', limits, now);
    const retryMs = overall > 0 ? overall : left(windows, category, limits, now);
    if (retryMs > 0)
      return { refused: overall > 0 ? 'overall' : category, retryMs, version: null, sessionEnded: false };
    if (Object.keys(windows).length === 0) this.#full.delete(name);
    return undefined;
  }

  #remember(keyId: string, window: keyof RateLimits, retryMs: number, limits: RateLimits): void {
    if (this.#full.size >= MAX_KEYS) this.#full.clear();
    const windows = this.#full.get(keyId) ?? {};
    windows[window] = { until: this.#now() + retryMs, limit: limits[window] };
    this.#full.set(keyId, windows);
  }
}

/** Milliseconds for which a window is still full; one that turned, or whose limit was changed, is forgotten. */
function left(
  windows: Partial<Record<keyof RateLimits, Full>>,
  window: keyof RateLimits,
  limits: RateLimits,
  now: number,
): number {
  const full = windows[window];
  if (!full) return 0;
  const ms = full.until - now;
  if (ms > 0 && full.limit === limits[window]) return ms;
  delete windows[window];
  return 0;
}
