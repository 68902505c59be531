import type { ConditionReason } from '../../api/condition-words.ts';
import type { Clocks } from '../../base/clock.ts';
import type { Waiting } from '../../base/errors.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import { TokenBucket } from '../../kube/token-bucket.ts';
import { waitingFor } from '../readiness.ts';
import type { Capacity } from './capacity.ts';

/** Starts per second on average, and at once; a morning with a thousand wakes must not flood scheduler and database. */
const PER_SECOND = 10;
const BURST = 20;
/** The wake loop brings a workspace back in its turn; this is only for what it lost (real ms). */
const RETRY_MS = 240_000;
const JITTER_MS = 120_000;
/** After a refusal so long nobody asks the cluster again (real ms). */
const REFUSED_MS = 30_000;
/** Accelerated product time stands still while a pod starts, at most this long (real ms). */
const HOLD_MS = 2_000;
/** Starts whose duration is measured at once. */
const MAX_MEASURED = 10_000;

/** A start that was refused for the time being. */
export interface Refusal {
  reason: ConditionReason;
  message: string;
  /** Real ms after which its controller looks by itself; the wake loop comes sooner, when it has its turn. */
  retryMs: number;
}

export interface StartGateOptions {
  clocks: Clocks & { product: ProductClock };
  random: () => number;
  capacity: Capacity;
  /** Hears how long a pod took from being made to its claim, real ms. */
  onStarted?: (ms: number) => void;
}

/**
 * Paces the starts of executors within the places there are, remembers refusals, and holds accelerated time until a
 * started pod claims.
 */
export class StartGate {
  /** Workspaces wait for a place: idle executors give theirs up. */
  crowded = false;
  readonly #clocks: StartGateOptions['clocks'];
  readonly #random: () => number;
  readonly #onStarted: (ms: number) => void;
  readonly #startedAt = new Map<string, number>();
  readonly #capacity: Capacity;
  readonly #bucket: TokenBucket;
  readonly #refused = new Map<string, { until: number; reason: ConditionReason; message: string }>();
  readonly #holds = new Map<string, () => void>();

  constructor({ clocks, random, capacity, onStarted }: StartGateOptions) {
    this.#clocks = clocks;
    this.#random = random;
    this.#capacity = capacity;
    this.#onStarted = onStarted ?? (() => undefined);
    this.#bucket = new TokenBucket(clocks.real, PER_SECOND, BURST);
  }

  /** How many workspaces are worth bringing: as many as may start now. One that is brought in vain has lost its turn. */
  get room(): number {
    return Math.max(0, Math.min(this.#capacity.free, this.#bucket.available));
  }

  /** Whether every place is taken. */
  get full(): boolean {
    return this.#capacity.free <= 0;
  }

  /** Takes a place and a start for the pod of this name. @throws Waiting when there is none now */
  admit(pod: string): void {
    if (!this.#capacity.take(pod)) {
      const told = 'All places for executors are taken; the next one that is free is its.';
      throw waitingFor('NoPlace', told, this.#later());
    }
    if (this.#bucket.tryTake()) return;
    this.#capacity.release(pod);
    throw waitingFor('StartRateLimited', 'Many executors start; this one waits its turn.', this.#later());
  }

  /** The pod was not made after all. */
  notMade(id: string, pod: string): void {
    this.#startedAt.delete(id);
    this.#holds.get(id)?.();
    this.#capacity.release(pod);
  }

  /** Remembers why the cluster takes no pod of this workspace. @returns what to throw */
  refuse(key: string, { reason, message }: { reason: ConditionReason; message: string }): Waiting {
    this.#refused.set(key, { until: this.#clocks.real.now() + REFUSED_MS, reason, message });
    return waitingFor(reason, message, this.#later());
  }

  /** The refusal in force for a key. */
  refusal(key: string): Refusal | null {
    const entry = this.#refused.get(key);
    if (!entry) return null;
    if (entry.until > this.#clocks.real.now()) {
      return { reason: entry.reason, message: entry.message, retryMs: this.#later() };
    }
    this.#refused.delete(key);
    return null;
  }

  #later(): number {
    return RETRY_MS + this.#random() * JITTER_MS;
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
}
