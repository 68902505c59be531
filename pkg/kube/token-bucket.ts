import type { Clock } from '../base/clock.ts';

/** A token bucket (client-go's flowcontrol): `burst` at once, then `perSecond` on average, first come, first served. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, perSecond: number, burst: number) {
    this.#clock = clock;
    this.#perMs = perSecond / 1_000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  /**
   * Takes one token, going into debt if need be, and says in how many ms it is good. Where that would be more than
   * `atMostMs`, it is `atMostMs`, and none is taken.
   */
  reserve(atMostMs = Number.POSITIVE_INFINITY): number {
    this.#refill();
    const left = this.#tokens - 1;
    const wait = left >= 0 ? 0 : Math.ceil(-left / this.#perMs);
    if (wait > atMostMs) return atMostMs;
    this.#tokens = left;
    return wait;
  }

  /** Whole tokens that there are now; 0 in debt. */
  get available(): number {
    this.#refill();
    return Math.max(0, Math.floor(this.#tokens));
  }

  /** Takes one token if there is one now. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Waits for a token. Rejects with the signal's reason when aborted, giving the token back. */
  async take(signal?: AbortSignal): Promise<void> {
    const wait = this.reserve();
    if (wait === 0) return;
    try {
      await this.#clock.sleep(wait, signal);
    } catch (error) {
      this.#tokens += 1;
      throw error;
    }
  }

  #refill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
