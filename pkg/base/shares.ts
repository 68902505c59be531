/** Something that takes a part, for one or several holders who have it together. */
export interface Part {
  holders: readonly string[];
}

/** Counts who has how much of something that is bounded, bytes or places. */
export class Shares {
  readonly #total: number;
  readonly #mostOf: (holder: string) => number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** @param mostOf what a holder has at most, whatever is left */
  constructor(total: number, mostOf: (holder: string) => number) {
    this.#total = total;
    this.#mostOf = mostOf;
  }

  /** What nobody has; below zero when more came than there is. */
  get left(): number {
    return this.#total - this.#used;
  }

  /** Whether these holders may have so much more, by their own bounds. */
  allows({ holders }: Part, amount: number): boolean {
    return holders.every((holder) => this.#of(holder) + amount <= this.#mostOf(holder));
  }

  /** Counts for each of its holders; a negative amount gives back. */
  add({ holders }: Part, amount: number): void {
    this.#used += amount;
    for (const holder of holders) {
      const own = this.#of(holder) + amount;
      if (own > 0) this.#held.set(holder, own);
      else this.#held.delete(holder);
    }
  }

  /**
   * Which part has to give way so that this one gets some: of those whose holders have most, the first, while they have more than
   * twice as much. However many fill all that there is, the next one gets as much as half of what they have each.
   */
  inFavourOf<P extends Part>(part: P, parts: Iterable<P>): P | undefined {
    let heaviest: P | undefined;
    let most = 2 * this.#weight(part);
    for (const other of parts) {
      const weight = this.#weight(other);
      if (weight <= most) continue;
      heaviest = other;
      most = weight;
    }
    return heaviest;
  }

  #weight({ holders }: Part): number {
    let most = 0;
    for (const holder of holders) most = Math.max(most, this.#of(holder));
    return most;
  }

  #of(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}
