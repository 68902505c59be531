import type { ActionClass } from './actions.ts';
import { type AccountPace, breakMs, gapAfter, pauseAfter, sessionLength } from './pacing.ts';

/** A moment of an account's calendar that an action took or was promised; epoch ms product time. */
export interface Slot {
  at: number;
  /** Nothing of the same class before this. */
  freeAt: number;
  actionClass: ActionClass;
}

/** Index of the first slot later than `at`; `slots` sorted by `at`. */
export function firstAfter(slots: readonly Slot[], at: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((slots[middle]?.at ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface Search {
  /** When an action could be tried next that would be one too many at this instant; null: it would not. */
  crowded?: ((at: number) => number | null) | undefined;
  /** Only what comes before counts: what comes after will be pushed back. */
  late?: boolean | undefined;
}

/**
 * The first moment not before `from` at which the account may act without coming too near to what it did or promised, and
 * without a session that is too long. `slots`: sorted by `at`, both classes.
 */
export function firstFree(
  slots: readonly Slot[],
  from: number,
  actionClass: ActionClass,
  pace: AccountPace,
  { crowded = () => null, late = false }: Search = {},
): Slot {
  let at = from;
  // Every round passes a slot, its gap, its session or its hour.
  for (let round = 0; round < 5 * slots.length + 5; round++) {
    const gap = gapAfter(pace, at, actionClass);
    const until = late ? at : at + gap;
    const later =
      behindNeighbours(slots, at, until, actionClass) ?? behindSession(slots, at, pace, late) ?? crowded(at);
    if (later === null) return { at, freeAt: at + gap, actionClass };
    at = later;
  }
  return { at, freeAt: at + gapAfter(pace, at, actionClass), actionClass };
}

/** Where the gap of a neighbour of this class ends that covers [at, until); null when it is free. */
function behindNeighbours(slots: readonly Slot[], at: number, until: number, actionClass: ActionClass): number | null {
  const next = firstAfter(slots, at);
  for (let index = next - 1; index >= 0; index--) {
    const slot = slots[index];
    if (slot?.actionClass !== actionClass) continue;
    if (slot.freeAt > at) return slot.freeAt;
    break;
  }
  for (let index = next; index < slots.length; index++) {
    const slot = slots[index];
    if (slot === undefined || slot.at >= until) break;
    if (slot.actionClass === actionClass) return Math.max(slot.freeAt, at + 1);
  }
  return null;
}

/** Where an action could be tried next when at `at` it would make a session too long; null when it fits. */
function behindSession(slots: readonly Slot[], at: number, pace: AccountPace, late: boolean): number | null {
  const next = firstAfter(slots, at);
  const timeOf = (index: number): number => slots[index]?.at ?? Number.NaN;
  const pause = breakMs(pace);
  let start = at;
  for (let index = next - 1; index >= 0 && start - timeOf(index) < pause; index--) start = timeOf(index);
  const longest = sessionLength(pace, start);
  if (at - start > longest) return timeOf(next - 1) + pauseAfter(pace, start);
  if (late) return null;
  let end = at;
  for (let index = next; index < slots.length && timeOf(index) - end < pause; index++) end = timeOf(index);
  return end - start > longest ? timeOf(next) : null;
}
