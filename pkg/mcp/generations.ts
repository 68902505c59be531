import type { Limiter } from './limits.ts';

/** Channel on which Postgres names keys whose generation, or whose user's, was raised. */
export const GENERATION_CHANNEL = 'outrider_generation';

/**
 * Carries raised generations from Postgres to wherever replicas look at each call. An own change is heard before its
 * commit returns, so a tool's answer can wait for its stamp; changes by others (operator, a person with SQL) follow
 * within milliseconds.
 */
export class Generations {
  readonly #limiter: Limiter;
  readonly #pending = new Set<Promise<void>>();

  constructor(limiter: Limiter) {
    this.#limiter = limiter;
  }

  /** @param keyId what was notified: a key that changed itself or by its user */
  announced(keyId: string): void {
    const stamped = this.#limiter.stamp(keyId).finally(() => this.#pending.delete(stamped));
    this.#pending.add(stamped);
  }

  /** Resolves when everything heard so far is stamped. */
  async settled(): Promise<void> {
    if (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}
