import type { Clocks } from '../../base/clock.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import { TokenBucket } from '../../kube/token-bucket.ts';

/** Starts per second on average, and at once; a morning with a thousand wakes must not flood scheduler and database. */
const PER_SECOND = 10;
const BURST = 20;
const JITTER_MS = 1_000;
const QUOTA_RETRY_MS = 30_000;
/** Accelerated product time stands still while a pod starts, at most this long (real ms). */
const HOLD_MS = 2_000;
/** Starts whose duration is measured at once. */
const MAX_MEASURED = 10_000;

/** A start that was refused for the time being. */
export interface Refusal {
  reason: string;
  message: string;
  retryMs: number;
}

/** Paces the starts of executors, remembers refusals, and holds accelerated time until a started pod claims. */
export class StartGate {
  readonly #clocks: Clocks & { product: ProductClock };
  readonly #random: () => number;
  readonly #onStarted: (ms: number) => void;
  readonly #startedAt = new Map<string, number>();
  readonly #bucket: TokenBucket;
  readonly #refused = new Map<string, { until: number; message: string }>();
  readonly #holds = new Map<string, () => void>();

  /** @param onStarted hears how long a pod took from being made to its claim, real ms */
  constructor(
    clocks: Clocks & { product: ProductClock },
    random: () => number,
    onStarted: (ms: number) => void = () => undefined,
  ) {
    this.#clocks = clocks;
    this.#random = random;
    this.#onStarted = onStarted;
    this.#bucket = new TokenBucket(clocks.real, PER_SECOND, BURST);
  }

  /** 0 when a pod may start now, else after how many real ms to ask again. */
  admit(): number {
    return this.#bucket.tryTake() ? 0 : 1_000 / PER_SECOND + this.#random() * JITTER_MS;
  }

  /** Remembers that the cluster has no room. */
  refuse(key: string, message: string): void {
    this.#refused.set(key, { until: this.#clocks.real.now() + QUOTA_RETRY_MS, message });
  }

  /** The refusal in force for a key. */
  refusal(key: string): Refusal | null {
    const entry = this.#refused.get(key);
    if (!entry) return null;
    const retryMs = entry.until - this.#clocks.real.now();
    if (retryMs > 0) return { reason: 'QuotaExceeded', message: entry.message, retryMs };
    this.#refused.delete(key);
    return null;
  }

  /** Holds product time for a starting pod until `claimed`, at most two seconds. */
  async hold(id: string): Promise<void> {
    this.#holds.get(id)?.();
    if (this.#startedAt.size < MAX_MEASURED) this.#startedAt.set(id, this.#clocks.real.now());
    const release = await this.#clocks.product.hold();
    const end = (): void => {
      if (this.#holds.get(id) !== end) return;
      this.#holds.delete(id);
      release();
    };
    this.#holds.set(id, end);
    this.#clocks.real.sleep(HOLD_MS).then(end, end);
  }

  /** The pod took its claim. */
  claimed(id: string): void {
    this.#holds.get(id)?.();
    const startedAt = this.#startedAt.get(id);
    if (startedAt === undefined) return;
    this.#startedAt.delete(id);
    this.#onStarted(this.#clocks.real.now() - startedAt);
  }

  /** The pod will never come. */
  abandoned(id: string): void {
    this.#startedAt.delete(id);
    this.#holds.get(id)?.();
  }
}
