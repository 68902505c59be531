/** Ends another's pause: what was brought forward is looked at now. Any number of wakes before the look are one. */
export class WakeSignal {
  #woken = Promise.withResolvers<void>();

  /** Wakes who waits on the promise that was asked for last. */
  wake(): void {
    this.#woken.resolve();
  }

  /**
   * Resolves at the next wake. Ask before the work, so that a wake during the work is not missed. Earlier promises stay open: a
   * new one each time leaves nothing behind on one that nobody resolves.
   */
  next(): Promise<void> {
    this.#woken = Promise.withResolvers();
    return this.#woken.promise;
  }
}
