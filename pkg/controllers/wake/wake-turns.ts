/** Workspaces per look that are brought although there is no room, once each: their status then says what they wait for. */
const MAX_TOLD = 10;

/**
 * Whose turn it is to be brought to a start: who waits longest first, but the one who was brought before goes behind the
 * others, so that some that can not start (refused ones among them) never keep the rest from it.
 */
export class WakeTurns {
  /** When workspaces that wait were brought last (real ms). */
  #brought = new Map<string, number>();

  /**
   * @param waiting keys, who waits longest first; what is missing from it is forgotten
   * @param room how many at most
   * @param now real time, epoch ms
   * @param isBarred whether one is not to be brought now; it keeps its place
   */
  next(
    waiting: readonly string[],
    room: number,
    now: number,
    isBarred: (key: string) => boolean = () => false,
  ): string[] {
    const before = new Map<string, number>();
    for (const key of waiting) {
      const at = this.#brought.get(key);
      if (at !== undefined) before.set(key, at);
    }
    this.#brought = before;
    const inOrder = waiting
      .filter((key) => !isBarred(key))
      .toSorted((a, b) => (before.get(a) ?? 0) - (before.get(b) ?? 0))
      .slice(0, Math.max(room, MAX_TOLD));
    const turn = inOrder.filter((key, at) => at < room || !before.has(key));
    for (const key of turn) before.set(key, now);
    return turn;
  }
}
