/** Something that waits for its turn, and whose it is. */
interface Waiting<T> {
  tenant: string;
  item: T;
}

/** How much may wait, and how much of one tenant is under way at once. */
export interface QueueBounds {
  /** Items that wait, of all tenants. */
  queued: number;
  /** Items that wait, of one tenant. */
  queuedOfOne: number;
  /** Items of one tenant that are under way at once. */
  underWayOfOne: number;
}

/** Gives each tenant its turn: who waits with many items comes behind everybody who waits with one. */
export class FairQueue<T> {
  readonly #bounds: QueueBounds;
  /** In the order in which tenants have their turn. */
  readonly #waiting = new Map<string, T[]>();
  readonly #underWay = new Map<string, number>();
  #count = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** @returns false where no more is taken */
  add({ tenant, item }: Waiting<T>): boolean {
    const own = this.#waiting.get(tenant) ?? [];
    if (this.#count >= this.#bounds.queued || own.length >= this.#bounds.queuedOfOne) return false;
    own.push(item);
    this.#waiting.set(tenant, own);
    this.#count++;
    return true;
  }

  /** The next item whose tenant has not enough under way already; it is under way until `done`. */
  next(): Waiting<T> | undefined {
    for (const [tenant, own] of this.#waiting) {
      const running = this.#underWay.get(tenant) ?? 0;
      if (running >= this.#bounds.underWayOfOne) continue;
      const item = own.shift();
      // The tenant's next turn comes after that of all others.
      this.#waiting.delete(tenant);
      if (own.length > 0) this.#waiting.set(tenant, own);
      if (item === undefined) continue;
      this.#underWay.set(tenant, running + 1);
      this.#count--;
      return { tenant, item };
    }
    return undefined;
  }

  done(tenant: string): void {
    const left = (this.#underWay.get(tenant) ?? 1) - 1;
    if (left > 0) this.#underWay.set(tenant, left);
    else this.#underWay.delete(tenant);
  }

  /** Takes everything that waits. */
  drain(): T[] {
    const items = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#count = 0;
    return items;
  }
}
