import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { openEventMonth } from '../../store/runs/event-months.ts';
import type { EngineDeps } from '../engine-deps.ts';

const DAY_MS = 86_400_000;
/** A month is opened this long before it begins (product time). */
const AHEAD_MS = 5 * DAY_MS;
/** Real ms before a failed opening is tried again; meanwhile history goes to the default partition. */
const RETRY_MS = 30_000;

/** Sees to it that the months in which the engine writes history have their partition. */
export class EventMonths {
  readonly #deps: EngineDeps;
  readonly #open: Set<string>;
  #retryAt = 0;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#open = deps.openMonths ?? new Set();
  }

  async keep(): Promise<void> {
    const now = this.#deps.clock.now();
    for (const at of [now, now + AHEAD_MS]) {
      const month = new Date(at).toISOString().slice(0, 7);
      if (!this.#open.has(month)) await this.#openMonth(month, at);
    }
  }

  async #openMonth(month: string, at: number): Promise<void> {
    if (monotonicMs() < this.#retryAt) return;
    try {
      await this.#deps.claim.tx((tx) => openEventMonth(tx, at));
      if (this.#open.size > 24) this.#open.clear();
      this.#open.add(month);
    } catch (error) {
      this.#deps.claim.assertHeld();
      this.#deps.log.warn({ month, reason: messageOf(error) }, 'a month of history is not open yet');
      this.#retryAt = monotonicMs() + RETRY_MS;
    }
  }
}
