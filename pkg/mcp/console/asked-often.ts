import { HttpError } from '../../base/http/http-error.ts';
import { networkOf } from '../../base/http/network-of.ts';

/**
 * What one network begins in ten minutes, each way in for itself. Behind an ingress a network is everybody, a whole house that comes to
 * work among them: it bounds what a flood costs, and the bounds of each address are elsewhere.
 */
const MOST = 600;
const WINDOW_MS = 10 * 60_000;
const MAX_NETWORKS = 10_000;

/** Counts what networks begin; on this server alone. */
export class AskedOften {
  readonly #now: () => number;
  readonly #windows = new Map<string, { until: number; asked: number }>();

  /** @param now monotonic ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a sign-in that begins. @throws HttpError 429 */
  require(address: string | undefined): void {
    if (this.tooOften(address))
      throw new HttpError(429, 'Too many sign-ins begin here. Try again in ten minutes.', { 'retry-after': '600' });
  }

  /** Counts once more. @returns whether that is too often */
  tooOften(address: string | undefined): boolean {
    const network = networkOf(address);
    const now = this.#now();
    let window = this.#windows.get(network);
    if (!window || now >= window.until) {
      if (this.#windows.size >= MAX_NETWORKS) this.#windows.clear();
      window = { until: now + WINDOW_MS, asked: 0 };
      this.#windows.set(network, window);
    }
    return ++window.asked > MOST;
  }
}
