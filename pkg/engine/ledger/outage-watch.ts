import { messageOf } from '../../base/errors.ts';
import { wakeAfterOutage } from '../../store/accounts/outage.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** So many people whom a provider did not answer for, and nobody in between, are an outage. */
const LEAST = 3;
/** Product ms: who is tried again within it is not woken, and a provider that comes and goes wakes people no more often. */
const SOON_MS = 5 * 60_000;
/** Runs that are woken at once, and look-ups; the rest follows with the next batch. */
const AT_ONCE = 500;

/**
 * Tries of those who failed in an outage come hours apart at its end. The first action that goes through shows that it is
 * over: they are tried now, each at its account's pace. A person for whom alone a provider fails is not woken by others.
 */
export class OutageWatch {
  readonly #deps: EngineDeps;
  /** The last action that went through, by provider (epoch ms product time). */
  readonly #answeredAt = new Map<string, number>();
  /** Providers that failed since: the last action before, and the failures after it. */
  readonly #away = new Map<string, { since: number; failures: number }>();
  /** Providers that answer again, with the last action before they did not. */
  readonly #back = new Map<string, number>();
  readonly #wokenAt = new Map<string, number>();
  #looking = false;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  /** An action failed because the provider did not answer. */
  failed(provider: string): void {
    const known = this.#away.get(provider) ?? { since: this.#answeredAt.get(provider) ?? 0, failures: 0 };
    this.#away.set(provider, { ...known, failures: known.failures + 1 });
  }

  /** An action went through. The first one of a process says nothing of what was before it: the database is asked. */
  answered(provider: string): void {
    const away = this.#answeredAt.has(provider) ? this.#away.get(provider) : { since: 0, failures: LEAST };
    this.#answeredAt.set(provider, this.#deps.clock.now());
    if (away === undefined) return;
    this.#away.delete(provider);
    if (away.failures < LEAST) return;
    this.#back.set(provider, Math.min(away.since, this.#back.get(provider) ?? away.since));
  }

  /** Wakes whom an outage made wait that is over. */
  async keep(): Promise<void> {
    if (this.#back.size === 0 || this.#looking) return;
    this.#looking = true;
    try {
      for (const [provider, since] of this.#back) await this.#wake(provider, since);
    } finally {
      this.#looking = false;
    }
  }

  async #wake(provider: string, since: number): Promise<void> {
    const { claim, clock, log, workspaceId } = this.#deps;
    const now = clock.now();
    if (now - (this.#wokenAt.get(provider) ?? Number.NEGATIVE_INFINITY) < SOON_MS) return;
    const limits = { now, soonMs: SOON_MS, least: LEAST, limit: AT_ONCE };
    try {
      const woken = await claim.tx((tx) => wakeAfterOutage(tx, workspaceId, { provider, since }, limits));
      if (woken.runs + woken.lookups > 0)
        log.info({ provider, ...woken }, 'the provider answers again: who failed while it did not is tried now');
      if (woken.runs >= AT_ONCE || woken.lookups >= AT_ONCE) return;
    } catch (error) {
      claim.assertHeld();
      log.warn(
        { provider, reason: messageOf(error) },
        'who failed in an outage was not woken; they are tried in their turn',
      );
    }
    this.#wokenAt.set(provider, now);
    this.#back.delete(provider);
  }
}
