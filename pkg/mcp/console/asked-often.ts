import { networkOf } from '../../base/http/network-of.ts';

const MAX_NETWORKS = 10_000;

/** Counts what one network asks for, in windows; of this server alone. */
export class AskedOften {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, { until: number; asked: number }>();

  /** @param now monotonic ms */
  constructor({ most, windowMs }: { most: number; windowMs: number }, now: () => number) {
    this.#most = most;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Counts once more. @returns whether that is too often */
  tooOften(address: string | undefined): boolean {
    const network = networkOf(address);
    const now = this.#now();
    let window = this.#windows.get(network);
    if (!window || now >= window.until) {
      if (this.#windows.size >= MAX_NETWORKS) this.#windows.clear();
      window = { until: now + this.#windowMs, asked: 0 };
      this.#windows.set(network, window);
    }
    return ++window.asked > this.#most;
  }
}
