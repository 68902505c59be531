/** Ends the pauses of others: what was brought forward is looked at now. Any number of wakes before a look are one. */
export class WakeSignal {
  #woken = Promise.withResolvers<void>();

  /** Wakes who waits, and who comes to wait before the next `next`. */
  wake(): void {
    this.#woken.resolve();
  }

  /** Wakes who waits now; who comes to wait afterwards waits for the next time. */
  pulse(): void {
    const heard = this.#woken;
    this.#woken = Promise.withResolvers();
    heard.resolve();
  }

  /** Resolves when it was woken since the last `next`, at once where it was. */
  get woken(): Promise<void> {
    return this.#woken.promise;
  }

  /**
   * Forgets earlier wakes and resolves at the next one. Ask before the work, so that a wake during the work is not missed. Earlier
   * promises stay open: a new one each time leaves nothing behind on one that nobody resolves.
   */
  next(): Promise<void> {
    this.#woken = Promise.withResolvers();
    return this.#woken.promise;
  }
}
