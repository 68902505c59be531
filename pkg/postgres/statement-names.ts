/** Uses after which a statement's plan is worth keeping. */
const WORTH = 5;
/** Each kept plan costs memory in every connection (tens of kB), so only this many are. */
const MAX_NAMED = 200;
const MAX_WATCHED = 2_000;

/** Names for statements that are used often; planning one costs more than running it. */
export class StatementNames {
  readonly #uses = new Map<string, number>();
  readonly #named = new Map<string, string>();

  /** @returns undefined while the statement's plan is not kept */
  of(text: string): string | undefined {
    const known = this.#named.get(text);
    if (known !== undefined) return known;
    const uses = (this.#uses.get(text) ?? 0) + 1;
    if (uses >= WORTH && this.#named.size < MAX_NAMED) {
      this.#uses.delete(text);
      const name = `kept_${this.#named.size}`;
      this.#named.set(text, name);
      return name;
    }
    if (this.#uses.size >= MAX_WATCHED) this.#uses.clear();
    this.#uses.set(text, uses);
    return undefined;
  }
}
