import { sleepReal } from '../base/clock.ts';
import { networkOf } from '../base/http/network-of.ts';

/** Failures of one address that are answered at once. */
const FREE = 5;
const MAX_ADDRESSES = 10_000;

/** Slows addresses that keep sending wrong keys: 100 ms more for each failure, half a second at most. */
export class FailingAddresses {
  readonly #failures = new Map<string, number>();
  readonly #wait: (ms: number) => Promise<void>;

  constructor(wait: (ms: number) => Promise<void> = sleepReal) {
    this.#wait = wait;
  }

  succeeded(address: string): void {
    if (this.#failures.size > 0) this.#failures.delete(networkOf(address));
  }

  /** Waits as long as the address has deserved. */
  async failed(address: string): Promise<void> {
    const network = networkOf(address);
    const failures = Math.min(FREE + 5, (this.#failures.get(network) ?? 0) + 1);
    if (this.#failures.size > MAX_ADDRESSES) this.#failures.clear();
    this.#failures.set(network, failures);
    if (failures > FREE) await this.#wait(100 * (failures - FREE));
  }
}
