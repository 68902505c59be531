import { actionRow, type BudgetAction, type Limit } from './actions.ts';
import { type ConfiguredLimit, effectiveLimit, type Ramp, rampFactor, weekendLimit } from './budget.ts';
import { type BudgetWindow, WINDOW_DAYS } from './budget-window.ts';
import { dayOfDate, localTime, weekdayOf } from './local-time.ts';
import type { AccountTier } from './vocabulary.ts';

/** A workspace that the account is linked to. */
export interface LinkedShare {
  /** Part of every daily limit that is kept for it. */
  share: number;
  /** The one that plans. */
  mine: boolean;
  /** Units of the head date of each budget. */
  spent: Readonly<Record<string, number>>;
  /** Units of a date that it may spend itself at most, by action; others are not bound. Known of the one that plans. */
  most?: Readonly<Record<string, number>> | undefined;
}

/** What bounds an account's units on a date. */
export interface BudgetState {
  timezone: string;
  tier: AccountTier;
  limits: Partial<Record<BudgetAction, ConfiguredLimit>>;
  /** Null: not ramping up. */
  ramp: Ramp | null;
  /** Epoch ms product time; null before the first send. */
  firstSendAt: number | null;
  /** 0 to 1. */
  health: number;
  weekendFactor: number | null;
  /** What was used already; absent actions are unused. */
  used: Partial<Record<BudgetAction, BudgetWindow>>;
  links: readonly LinkedShare[];
}

/** Units of an account by local date (day number): used, and promised to runs that wait. */
export class PlannedBudgets {
  readonly #state: BudgetState;
  readonly #today: number;
  readonly #firstSendDay: number;
  readonly #mine: number;
  readonly #counts = new Map<string, number>();
  readonly #limits = new Map<string, Limit>();
  /** Dates that are known to be full: [from, to). */
  readonly #full = new Map<string, { from: number; to: number }>();

  constructor(state: BudgetState, now: number) {
    this.#state = state;
    this.#today = localTime(now, state.timezone).dayNumber;
    this.#mine = state.links.findIndex((link) => link.mine);
    this.#firstSendDay =
      state.firstSendAt === null ? this.#today : localTime(state.firstSendAt, state.timezone).dayNumber;
    for (const [action, window] of Object.entries(state.used)) {
      const head = dayOfDate(window.headDate);
      for (const [back, units] of window.used.entries()) this.#add(`${action}/${head - back}`, units);
    }
    state.links.forEach((link, index) => {
      for (const [action, units] of Object.entries(link.spent)) {
        const window = state.used[action as BudgetAction];
        this.#add(`${index}/${action}/${window ? dayOfDate(window.headDate) : this.#today}`, units);
      }
    });
  }

  /** Counts units of a date for a workspace (index into the links); negative gives them back. */
  reserve(budgets: readonly BudgetAction[], link: number, day: number, units: number): void {
    for (const action of budgets) {
      this.#add(`${action}/${day}`, units);
      this.#add(`${link}/${action}/${day}`, units);
    }
  }

  /** Whether a date has the units of all of these left, and no week that contains it is over its limit by them. */
  hasRoom(day: number, budgets: readonly BudgetAction[]): boolean {
    return (
      this.#dayHasRoom(day, budgets) &&
      budgets.every((action) => {
        for (let head = day; head < day + WINDOW_DAYS; head++) {
          const { week } = this.limit(action, head);
          if (week !== null && this.#inWindow(action, head) + unitsOf(budgets, action) > week) return false;
        }
        return true;
      })
    );
  }

  /** The first date from `day` on with room, at most `last + 1`. Units are only added between calls. */
  firstDayWithRoom(day: number, last: number, budgets: readonly BudgetAction[]): number {
    return this.#skip(`room of ${budgets.join()}`, day, last, (date) => this.hasRoom(date, budgets));
  }

  /** The first date from `day` on whose own limits leave a unit, whatever its weeks say; at most `last + 1`. As above. */
  firstUnfilledDay(day: number, last: number, budgets: readonly BudgetAction[]): number {
    return this.#skip(budgets.join(), day, last, (date) => this.#dayHasRoom(date, budgets));
  }

  #dayHasRoom(day: number, budgets: readonly BudgetAction[]): boolean {
    return budgets.every((action) => {
      const { day: limit } = this.limit(action, day);
      return (
        this.#units(action, day) + unitsOf(budgets, action) <= limit - this.#keptForOthers(action, day, limit) &&
        this.#ownUnits(action, day) + unitsOf(budgets, action) <= this.#ownMost(action)
      );
    });
  }

  #ownUnits(action: BudgetAction, day: number): number {
    return this.#counts.get(`${this.#mine}/${action}/${day}`) ?? 0;
  }

  #ownMost(action: BudgetAction): number {
    return this.#state.links[this.#mine]?.most?.[action] ?? Number.POSITIVE_INFINITY;
  }

  /** The first date from `day` on that is free; remembers those that are not. */
  #skip(key: string, day: number, last: number, isFree: (date: number) => boolean): number {
    const known = this.#full.get(key);
    const joins = known !== undefined && day >= known.from && day < known.to;
    let free = joins ? known.to : day;
    while (free <= last && !isFree(free)) free++;
    if (free > day) this.#full.set(key, { from: joins ? known.from : day, to: free });
    return free;
  }

  /** Units that a date may give at most. */
  perDay(day: number, budgets: readonly BudgetAction[]): number {
    return Math.min(...budgets.map((action) => Math.min(this.limit(action, day).day, this.#ownMost(action))));
  }

  #units(action: string, day: number): number {
    return this.#counts.get(`${action}/${day}`) ?? 0;
  }

  #add(key: string, units: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + units);
  }

  #inWindow(action: string, head: number): number {
    let sum = 0;
    for (let back = 0; back < WINDOW_DAYS; back++) sum += this.#units(action, head - back);
    return sum;
  }

  /** The limit of a date: ramp, health and weekend included. */
  limit(action: BudgetAction, day: number): Limit {
    const key = `${action}/${day}`;
    const known = this.#limits.get(key);
    if (known) return known;
    const { ramp, tier, limits, health, weekendFactor } = this.#state;
    const share = rampFactor(day - this.#firstSendDay, ramp);
    // A word of a stored plan that is no action has no budget.
    const base = actionRow(action)
      ? effectiveLimit(action, tier, limits[action] ?? null, share, health)
      : { day: 0, week: null };
    const made = { ...base, day: weekendLimit(base.day, weekdayOf(day), weekendFactor) };
    this.#limits.set(key, made);
    return made;
  }

  #keptForOthers(action: BudgetAction, day: number, limit: number): number {
    return this.#state.links.reduce((sum, link, index) => {
      if (link.mine) return sum;
      return sum + Math.max(0, Math.floor(limit * link.share) - (this.#counts.get(`${index}/${action}/${day}`) ?? 0));
    }, 0);
  }
}

/** A budget that is named twice gives two units. */
function unitsOf(budgets: readonly BudgetAction[], action: BudgetAction): number {
  return budgets.length === 1 ? 1 : budgets.filter((one) => one === action).length;
}
