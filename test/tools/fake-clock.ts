import type { Clock } from '../../pkg/base/clock.ts';

/** A clock for tests: stands still until `advance` moves it, waking sleepers in order of their due time. */
export class FakeClock implements Clock {
  #now: number;
  #sleepers: { at: number; wake: () => void }[] = [];

  constructor(start = Date.UTC(2026, 0, 5, 9, 0, 0)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener(
        'abort',
        () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  /** Moves time forward and lets everything that became due run before it returns. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (;;) {
      const next = this.#sleepers.filter((s) => s.at <= target).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = target;
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** How many sleepers wait; lets a test await the moment when its subject went to sleep. */
  get sleeping(): number {
    return this.#sleepers.length;
  }
}
