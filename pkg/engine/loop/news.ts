import { sleepReal, withDeadline } from '../../base/clock.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import { GATHER_LEAST_MS, LINGER_MS, POLL_MS } from './look-ahead.ts';

/** What the due loop waits for: hints that something was brought forward, and ends of effects and calls. */
export class News {
  readonly #clock: Pick<ProductClock, 'steady'>;
  readonly #stop: AbortSignal;
  #hinted = Promise.withResolvers<void>();
  /** Resolves when the next effect or call ends; a new one for whoever waits, so that nothing piles up on one that stays open. */
  #settled = Promise.withResolvers<void>();

  /** @param stop ends every wait */
  constructor(clock: Pick<ProductClock, 'steady'>, stop: AbortSignal) {
    this.#clock = clock;
    this.#stop = stop;
  }

  hint(): void {
    this.#hinted.resolve();
  }

  /** An effect or call has ended. Who waits from now on waits for the next one. */
  settled(): void {
    const heard = this.#settled;
    this.#settled = Promise.withResolvers<void>();
    heard.resolve();
  }

  /**
   * The next hint and the next end, one of which ends a sleep. Asked for before the work, so that nothing that comes meanwhile is
   * missed. New ones each time: where nothing settles for long, each turn would leave a reaction on one that stays open.
   */
  next(): Promise<void>[] {
    this.#hinted = Promise.withResolvers<void>();
    this.#settled = Promise.withResolvers<void>();
    return [this.#hinted.promise, this.#linger(this.#settled.promise)];
  }

  /** What follows an effect has time; it goes with what is due next where that is soon. */
  async #linger(settled: Promise<void>): Promise<void> {
    await settled;
    if (this.#clock.steady) await sleepReal(LINGER_MS, this.#stop).catch(() => undefined);
  }

  /**
   * Waits for `ms` of real time, or after some of it for a hint: what comes due, settles or is hinted at within a few ms of a batch
   * is one batch, since fixed costs are most of a small one.
   */
  async gather(ms: number): Promise<void> {
    if (ms <= 0) return;
    const least = Math.min(ms, GATHER_LEAST_MS);
    await sleepReal(least, this.#stop).catch(() => undefined);
    await Promise.race([this.#hinted.promise, sleepReal(ms - least, this.#stop)]).catch(() => undefined);
  }

  /** Until effects or calls have ended and that is `enough`, for one look at the database's length at most. */
  async untilSettled(enough: () => boolean = () => true): Promise<void> {
    await withDeadline(POLL_MS, this.#stop, async (signal) => {
      signal.addEventListener('abort', () => this.settled(), { once: true });
      if (signal.aborted) return;
      do await this.#settled.promise;
      while (!signal.aborted && !enough());
    });
  }
}
