import { type ActionClass, type BudgetAction, classOf } from './actions.ts';
import { behindCrowd, hourShare, type OpenTime } from './hour-share.ts';
import { instantOf, localTime } from './local-time.ts';
import { type AccountPace, isPaced } from './pacing.ts';
import { type BudgetState, PlannedBudgets } from './planned-budgets.ts';
import { firstAfter, firstFree, type Slot } from './slot-calendar.ts';

/** Local dates ahead for which an account promises moments. */
const HORIZON_DAYS = 180;
/** What does not fit before the horizon asks again within so many dates after it. */
const OVERFLOW_DAYS = 30;
const HOUR_MS = 3_600_000;

/** A moment that an account promised to a run, or at which one acted. */
export interface PlannedSlot extends Slot {
  /** Null: of another workspace. */
  runId: string | null;
  /** Index into the account's links: whose workspace it is. */
  link: number;
  budgets: readonly BudgetAction[];
  /** It may not be brought forward to before this, whatever room there is. */
  earliest: number;
  /** The action happened; its units are counted as used. */
  acted: boolean;
}

/** An account as planning sees it; all times epoch ms product time. */
export interface AccountPlanState extends Omit<BudgetState, 'weekendFactor'> {
  pace: AccountPace;
  /** Nothing of a class before this. */
  freeAt: Readonly<Record<ActionClass, number>>;
  /** Sorted by `at`. */
  slots: readonly PlannedSlot[];
}

/** What a run wants of an account. */
export interface SlotRequest {
  runId: string;
  /** Budgets that give a unit each; the first is the action. */
  budgets: readonly BudgetAction[];
  /** Not before this instant. */
  earliest: number;
  /** The instant itself when this run may act then, else the next one at which it may. */
  opening: (at: number) => number;
  /** Time of a usual week at which it may act. */
  open: OpenTime;
  /**
   * It missed the moment that it was promised. It goes in between the promises of the others, which do not push it back: it
   * pushes them.
   */
  late?: boolean;
  /** The instant itself when its company has room on that date, else the next one at which it has. */
  companyRoom?: ((at: number) => number) | undefined;
}

export interface Placed {
  at: number;
  /** Null: nothing is promised, the run asks again at `at`. */
  slot: PlannedSlot | null;
  /** What made it later than its hours and pace would, the last of them. */
  boundBy: 'budget' | 'company_limit' | null;
}

/**
 * The calendar of an account: who acts when, within budgets, pace, hours and an hour's share. What is promised stays promised, so that a run
 * that waits can say when it acts; who comes later is put behind or between.
 * Sources: catalog `defaults` (budgets, weekWindow, pacing); design section 7.
 */
export class AccountPlan {
  readonly #pace: AccountPace;
  readonly #freeAt: AccountPlanState['freeAt'];
  readonly #timezone: string;
  readonly #link: number;
  readonly #now: number;
  readonly #today: number;
  readonly #slots: PlannedSlot[];
  readonly #budgets: PlannedBudgets;
  readonly #overflow = new Map<string, number>();

  constructor(state: AccountPlanState, now: number) {
    this.#pace = state.pace;
    this.#freeAt = state.freeAt;
    this.#timezone = state.timezone;
    this.#link = state.links.findIndex((link) => link.mine);
    this.#now = now;
    this.#today = this.#dayOf(now);
    this.#budgets = new PlannedBudgets({ ...state, weekendFactor: state.pace.settings?.weekendFactor ?? null }, now);
    // What was promised and did not happen in time is void.
    this.#slots = state.slots.filter((slot) => slot.acted || slot.at >= now);
    for (const slot of this.#slots) if (!slot.acted) this.#reserve(slot, this.#dayOf(slot.at), 1);
  }

  /** Finds the first moment for a wish and keeps it. */
  place(wish: SlotRequest): Placed {
    const last = this.#today + HORIZON_DAYS;
    let boundBy: Placed['boundBy'] = null;
    let { earliest } = wish;
    let at = wish.opening(earliest);
    for (let round = 0; round < 6 * HORIZON_DAYS; round++) {
      const day = this.#dayOf(at);
      if (day > last) break;
      const closed = this.#closed(wish, at, day, last);
      if (closed) {
        boundBy = closed.by;
        if (closed.by === 'company_limit') earliest = closed.until;
        at = wish.opening(closed.until);
        continue;
      }
      const found = this.#firstFree(wish, at, day);
      at = wish.opening(found.at);
      // The search left the day or the hours: the next round asks what holds there.
      if (at > found.at || this.#dayOf(at) > day || (wish.companyRoom?.(at) ?? at) > at) continue;
      const { runId, budgets } = wish;
      const slot = { ...found, runId, budgets, earliest, link: this.#link, acted: false };
      return { at, slot: this.#keep(slot), boundBy };
    }
    return { at: this.#behindHorizon(wish, last), slot: null, boundBy: boundBy ?? 'budget' };
  }

  /** What keeps a date closed for a wish, and until when; null: nothing. */
  #closed(
    wish: SlotRequest,
    at: number,
    day: number,
    last: number,
  ): { until: number; by: 'budget' | 'company_limit' } | null {
    const room = wish.companyRoom?.(at) ?? at;
    if (room > at) return { until: room, by: 'company_limit' };
    const free = this.#budgets.firstDayWithRoom(day, last, wish.budgets);
    return free > day ? { until: instantOf(free, 0, this.#timezone), by: 'budget' } : null;
  }

  /**
   * Runs of this workspace whose promise lies on a later date though an earlier one has room again (somebody left, a limit
   * was raised): they should ask anew.
   */
  movable(usual: Pick<SlotRequest, 'opening' | 'open'>, limit: number): string[] {
    const moved: string[] = [];
    for (const slot of this.#slots.slice()) {
      if (moved.length >= limit) break;
      if (slot.acted || slot.runId === null) continue;
      const day = this.#dayOf(slot.at);
      this.#reserve(slot, day, -1);
      const earlier = this.#earlierDay(
        { ...usual, runId: slot.runId, budgets: slot.budgets, earliest: this.#now },
        day,
      );
      if (earlier === null) this.#reserve(slot, day, 1);
      else moved.push(slot.runId);
    }
    return moved;
  }

  /** The first date before `day` that has room for a wish, which takes it. */
  #earlierDay(wish: SlotRequest, day: number): number | null {
    const next = (date: number): number => this.#budgets.firstUnfilledDay(date, day - 1, wish.budgets);
    for (let date = next(this.#dayOf(wish.earliest)); date < day; date = next(date + 1)) {
      const from = wish.opening(Math.max(wish.earliest, instantOf(date, 0, this.#timezone)));
      if (this.#dayOf(from) !== date || !this.#budgets.hasRoom(date, wish.budgets)) continue;
      // What is left of today may be too short for everybody.
      if (date === this.#today && !this.#takeToday(wish, from)) continue;
      if (date > this.#today) this.#budgets.reserve(wish.budgets, this.#link, date, 1);
      return date;
    }
    return null;
  }

  #takeToday(wish: SlotRequest, from: number): boolean {
    const found = this.#firstFree(wish, from, this.#today);
    if (wish.opening(found.at) !== found.at || this.#dayOf(found.at) !== this.#today) return false;
    const { runId, budgets, earliest } = wish;
    this.#keep({ ...found, runId, budgets, earliest, link: this.#link, acted: false });
    return true;
  }

  #firstFree({ budgets, open, late }: SlotRequest, from: number, day: number): Slot {
    // A search that leaves the day goes on with the limits of the next one.
    const shares = budgets.map((action) => [action, hourShare(this.#budgets.limit(action, day), open)] as const);
    const crowded = (at: number): number | null => {
      const later = shares.flatMap(([action, share]) => behindCrowd(this.#near(action, at, !late), at, share) ?? []);
      return later.length > 0 ? Math.max(...later) : null;
    };
    const actionClass = classOf(budgets[0] ?? 'message');
    return firstFree(this.#slots, Math.max(from, this.#freeAt[actionClass]), actionClass, this.#pace, {
      late,
      crowded: isPaced(this.#pace.settings) ? crowded : undefined,
    });
  }

  /** Moments of a kind within the hour before an instant and, where told, the hour after. */
  #near(action: BudgetAction, at: number, after: boolean): number[] {
    const until = after ? at + HOUR_MS : at + 1;
    const times: number[] = [];
    for (let index = firstAfter(this.#slots, at - HOUR_MS); index < this.#slots.length; index++) {
      const slot = this.#slots[index];
      if (!slot || slot.at >= until) break;
      if (slot.budgets.includes(action)) times.push(slot.at);
    }
    return times;
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
  #behindHorizon(wish: SlotRequest, last: number): number {
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
