import type { PeriodicJob } from '../../base/periodic.ts';
import { WakeSignal } from '../../base/wake-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import { deliveryLoad } from '../../store/deliveries/delivery-load.ts';
import { type DueEndpoint, dueEndpoints, isRehearsal } from '../../store/deliveries/due-endpoints.ts';
import { leaseDeliveries } from '../../store/deliveries/lease-deliveries.ts';
import type { DeliveryWorkerDeps } from './delivery-deps.ts';
import { DeliveryTry } from './delivery-try.ts';
import { Shares } from './shares.ts';

/** Real ms between looks for what is due while nothing ends, and for one look. */
const POLL_MS = 1_000;
const WITHIN_MS = 30_000;
/** Real ms between counts of what waits. */
const COUNT_MS = 15_000;

/**
 * Sends events to the endpoints that follow them; every replica of the MCP server runs one. A delivery is tried under a lease: what a
 * server leaves that dies, another one sends again under the same id. A slow endpoint holds the places of its own workspace only.
 */
export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps;
  readonly #holder: string;
  readonly #shares = new Shares();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #wake = new WakeSignal();

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps;
    this.#holder = deps.ids.uuid();
  }

  /** What the server does again and again. */
  periodicJobs(): PeriodicJob[] {
    return [
      { name: 'deliveries', everyMs: POLL_MS, withinMs: WITHIN_MS, run: () => this.look(), wake: this.#wake },
      { name: 'deliveries-count', everyMs: COUNT_MS, withinMs: WITHIN_MS, run: () => this.count() },
    ];
  }

  /** Begins to send what is due, as far as there is room. @returns how many it began; `settled` waits for them */
  async look(): Promise<number> {
    const now = this.#deps.clocks.product.now();
    const { endpoints, rehearsal } = await this.#platform(async (tx) => ({
      endpoints: await dueEndpoints(tx, now),
      rehearsal: await isRehearsal(tx),
    }));
    let begun = 0;
    for (const endpoint of this.#shares.inTurn(endpoints)) {
      const limit = this.#shares.roomFor(endpoint);
      if (limit > 0) begun += await this.#begin(endpoint, limit, rehearsal);
    }
    return begun;
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Tells how much waits. */
  async count(): Promise<void> {
    const { clocks, metrics } = this.#deps;
    const { waiting, oldestMs, paused } = await this.#platform((tx) => deliveryLoad(tx, clocks.product.now()));
    metrics.waiting.set(waiting);
    metrics.oldest.set(oldestMs / 1_000);
    metrics.paused.set(paused);
  }

  async #begin(endpoint: DueEndpoint, limit: number, rehearsal: boolean): Promise<number> {
    const now = this.#deps.clocks.product.now();
    const asked = { integrationId: endpoint.id, holder: this.#holder, limit, probing: Shares.isDead(endpoint), now };
    const leased = await this.#platform((tx) => leaseDeliveries(tx, asked));
    if (leased.length === 0) return 0;
    const tries = new DeliveryTry({ ...this.#deps, holder: this.#holder, rehearsal }, endpoint);
    for (const delivery of leased) {
      const release = this.#shares.take(endpoint);
      const running: Promise<void> = tries.run(delivery).finally(() => {
        release();
        this.#inFlight.delete(running);
        this.#deps.metrics.inFlight.set(this.#inFlight.size);
        this.#wake.wake();
      });
      this.#inFlight.add(running);
    }
    this.#deps.metrics.inFlight.set(this.#inFlight.size);
    return leased.length;
  }

  #platform<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#deps.db.tx({ kind: 'platform' }, work);
  }
}
