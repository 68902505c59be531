/** A binary min-heap of keys by due time; entries are dropped lazily by the one who knows that they are outdated. */
export class DelayHeap {
  readonly #entries: { key: string; at: number }[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): { key: string; at: number } | undefined {
    return this.#entries[0];
  }

  push(key: string, at: number): void {
    const entries = this.#entries;
    let index = entries.push({ key, at }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#at(parent) <= this.#at(index)) return;
      this.#swap(parent, index);
      index = parent;
    }
  }

  pop(): { key: string; at: number } | undefined {
    const entries = this.#entries;
    const top = entries[0];
    const last = entries.pop();
    if (top === undefined || last === undefined || entries.length === 0) return top;
    entries[0] = last;
    this.#sink();
    return top;
  }

  #sink(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(child) >= this.#at(index)) return;
      this.#swap(child, index);
      index = child;
    }
  }

  #at(index: number): number {
    return this.#entries[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const first = this.#entries[a];
    const second = this.#entries[b];
    if (!first || !second) return;
    this.#entries[a] = second;
    this.#entries[b] = first;
  }
}
