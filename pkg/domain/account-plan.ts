import { instantOf, localTime } from './local-time.ts';
import { type AccountPace, paceClassOf } from './pacing.ts';
import { type BudgetState, PlannedBudgets } from './planned-budgets.ts';
import { firstAfter, firstFree, type Slot } from './slot-calendar.ts';
import type { BudgetAction } from './vocabulary.ts';

/** Local dates ahead for which an account promises moments. */
const HORIZON_DAYS = 60;
/** What does not fit before the horizon asks again within so many dates after it. */
const OVERFLOW_DAYS = 30;

/** A moment that an account promised to a run, or at which one acted. */
export interface PlannedSlot extends Slot {
  /** Null: of another workspace. */
  runId: string | null;
  /** Index into the account's links: whose workspace it is. */
  link: number;
  budgets: readonly BudgetAction[];
  /** The action happened; its units are counted as used. */
  acted: boolean;
}

/** An account as planning sees it; all times epoch ms product time. */
export interface AccountPlanState extends Omit<BudgetState, 'weekendFactor'> {
  pace: AccountPace;
  /** Sorted by `at`. */
  slots: readonly PlannedSlot[];
}

/** What a run wants of an account. */
export interface SlotWish {
  runId: string;
  /** Budgets that give a unit each; the first is the action. */
  budgets: readonly BudgetAction[];
  /** Not before this instant. */
  earliest: number;
  /** The instant itself when this run may act then, else the next one at which it may. */
  opening: (at: number) => number;
}

export interface Placed {
  at: number;
  /** Null: nothing is promised, the run asks again at `at`. */
  slot: PlannedSlot | null;
  /** A budget made it later than its hours and pace would. */
  byBudget: boolean;
}

/**
 * The calendar of an account: who acts when, within budgets, pace and hours. What is promised stays promised, so that a run
 * that waits can say when it acts; who comes later is put behind or between.
 * Sources: catalog `defaults` (budgets, weekWindow, pacing); design section 7.
 */
export class AccountPlan {
  readonly #pace: AccountPace;
  readonly #timezone: string;
  readonly #link: number;
  readonly #today: number;
  readonly #slots: PlannedSlot[];
  readonly #budgets: PlannedBudgets;
  readonly #overflow = new Map<string, number>();

  constructor(state: AccountPlanState, now: number) {
    this.#pace = state.pace;
    this.#timezone = state.timezone;
    this.#link = state.links.findIndex((link) => link.mine);
    this.#today = this.#dayOf(now);
    this.#budgets = new PlannedBudgets({ ...state, weekendFactor: state.pace.settings?.weekendFactor ?? null }, now);
    // What was promised and did not happen in time is void.
    this.#slots = state.slots.filter((slot) => slot.acted || slot.at >= now);
    for (const slot of this.#slots) if (!slot.acted) this.#reserve(slot, this.#dayOf(slot.at), 1);
  }

  /** Finds the first moment for a wish and keeps it. */
  place(wish: SlotWish): Placed {
    const last = this.#today + HORIZON_DAYS;
    let byBudget = false;
    let at = wish.opening(wish.earliest);
    for (let round = 0; round < 6 * HORIZON_DAYS; round++) {
      const day = this.#dayOf(at);
      if (day > last) break;
      const free = this.#budgets.firstDayWithRoom(day, last, wish.budgets);
      if (free > day) {
        byBudget = true;
        at = wish.opening(instantOf(free, 0, this.#timezone));
        continue;
      }
      const found = firstFree(this.#slots, at, paceClassOf(wish.budgets[0] ?? 'message'), this.#pace);
      at = wish.opening(found.at);
      if (at > found.at || this.#dayOf(at) > day) continue;
      const { runId, budgets } = wish;
      return { at, slot: this.#keep({ ...found, runId, budgets, link: this.#link, acted: false }), byBudget };
    }
    return { at: this.#behindHorizon(wish, last), slot: null, byBudget: true };
  }

  /**
   * Runs of this workspace whose promise lies on a later date though an earlier one has room again (somebody left, a limit
   * was raised): they should ask anew. `opensOn`: whether the account works on a date (day number) at all.
   */
  movable(opensOn: (day: number) => boolean, limit: number): string[] {
    const moved: string[] = [];
    for (const slot of this.#slots) {
      if (moved.length >= limit) break;
      if (slot.acted || slot.runId === null) continue;
      const day = this.#dayOf(slot.at);
      this.#reserve(slot, day, -1);
      const earlier = this.#earlierRoom(slot, day, opensOn);
      this.#reserve(slot, earlier ?? day, 1);
      if (earlier !== null) moved.push(slot.runId);
    }
    return moved;
  }

  #earlierRoom(slot: PlannedSlot, day: number, opensOn: (day: number) => boolean): number | null {
    for (let date = this.#today; date < day; date++) {
      if (opensOn(date) && this.#budgets.hasRoom(date, slot.budgets)) return date;
    }
    return null;
  }

  #keep(slot: PlannedSlot): PlannedSlot {
    this.#slots.splice(firstAfter(this.#slots, slot.at), 0, slot);
    this.#reserve(slot, this.#dayOf(slot.at), 1);
    return slot;
  }

  #reserve(slot: PlannedSlot, day: number, units: number): void {
    this.#budgets.reserve(slot.budgets, slot.link, day, units);
  }

  /** Later than the horizon nothing is promised; who waits is spread over the dates by the daily limit. */
  #behindHorizon(wish: SlotWish, last: number): number {
    const key = wish.budgets.join();
    const waiting = this.#overflow.get(key) ?? 0;
    this.#overflow.set(key, waiting + 1);
    const days = Math.floor(waiting / Math.max(1, this.#budgets.perDay(last, wish.budgets)));
    const day = last + Math.min(OVERFLOW_DAYS, days);
    return wish.opening(Math.max(wish.earliest, instantOf(day, 0, this.#timezone)));
  }

  #dayOf(at: number): number {
    return localTime(at, this.#timezone).dayNumber;
  }
}
