/** Items in a row that were seen before, after which a list has nothing new: lists reorder, and one of them may have moved. */
export const KNOWN_RUN = 20;

/** What a list showed: a gap is what lies between what was read and what is known, because the bound of pages came first. */
export interface ListReading<T> {
  /** Items that nobody saw before, as the list has them. */
  fresh: T[];
  /** All keys of what was read. */
  keys: string[];
  /** The list was read until its end or a run of known items. */
  complete: boolean;
}

/**
 * Reads a list page by page until 20 items in a row are known, its end, or a bound of pages. An item has one key or more (its id, and what
 * it says): it is known when any of them is, so that an edited date, a rotated id or another order makes nothing new.
 * @param page reads a page; null: nothing more can be read now
 * @param seen which of these keys are known
 * @returns null: a page could not be read. What was read before it counts for nothing: kept, it would hide from the next reading what lies
 *   behind it
 */
export async function readUntilKnown<T>(
  page: (cursor: string | undefined) => Promise<{ items: readonly T[]; cursor: string | null } | null>,
  keysOf: (item: T) => readonly string[],
  seen: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  mostPages: number,
): Promise<ListReading<T> | null> {
  const reading = new Reading(keysOf);
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const found = await page(cursor);
    if (found === null) return null;
    reading.take(found.items, await seen([...new Set(found.items.flatMap(keysOf))]));
    if (reading.isKnown || found.cursor === null || found.items.length === 0) return reading.end(true);
    cursor = found.cursor;
  }
  return reading.end(false);
}

/** What pages of one list came to so far. */
class Reading<T> {
  readonly #keysOf: (item: T) => readonly string[];
  readonly #fresh: T[] = [];
  readonly #met = new Set<string>();
  #run = 0;

  constructor(keysOf: (item: T) => readonly string[]) {
    this.#keysOf = keysOf;
  }

  /** The last items in a row are known. */
  get isKnown(): boolean {
    return this.#run >= KNOWN_RUN;
  }

  take(items: readonly T[], known: ReadonlySet<string>): void {
    for (const item of items) {
      const keys = this.#keysOf(item);
      const old = keys.some((key) => known.has(key));
      // What this reading met before came twice because the list moved between two pages.
      if (!old && !keys.some((key) => this.#met.has(key))) this.#fresh.push(item);
      for (const key of keys) this.#met.add(key);
      this.#run = old ? this.#run + 1 : 0;
    }
  }

  end(complete: boolean): ListReading<T> {
    return { fresh: this.#fresh, keys: [...this.#met], complete };
  }
}
