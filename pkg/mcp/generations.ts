import type { Limiter } from './limits.ts';

/** Channel on which Postgres tells of keys and users whose generation was raised. */
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

  /** @param payload `key <id> <user or nothing>` or `user <id>` */
  announced(payload: string): void {
    const [kind, id = '', userId = ''] = payload.split(' ');
    const changed = kind === 'key' ? { keyId: id, userId: userId === '' ? null : userId } : { userId: id };
    const stamped = this.#limiter.stamp(changed).finally(() => this.#pending.delete(stamped));
    this.#pending.add(stamped);
  }

  /** Resolves when everything heard so far is stamped. */
  async settled(): Promise<void> {
    if (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}
