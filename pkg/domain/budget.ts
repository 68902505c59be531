import type { AccountTier, BudgetAction } from './vocabulary.ts';

/**
 * Budgets of a network account. One counter per account and action, whichever workspace spends it; windows are local
 * calendar dates of the account. Sources: catalog `defaults` (budgets, hardCeiling, rampUp, weekWindow).
 */

/** Units per local date and per seven local dates; null is no limit of that kind. */
export interface Limit {
  day: number;
  week: number | null;
}

/** What the settings of an account say of an action; what is absent is the tier's. */
export interface ConfiguredLimit {
  day?: number | undefined;
  week?: number | null | undefined;
}

const limit = (day: number, week: number | null = null): Limit => ({ day, week });

/** Not in the catalog's list; kinds of later nodes get careful values, mail its own. */
const COMMON: Record<'post' | 'search' | 'profile_scrape' | 'mail', Limit> = {
  post: limit(3),
  search: limit(30),
  profile_scrape: limit(100),
  mail: limit(40),
};

const SALES: Record<BudgetAction, Limit> = {
  ...COMMON,
  connection_request: limit(25, 150),
  connection_request_with_note: limit(25, 150),
  message: limit(60, 300),
  inmail: limit(30),
  profile_view: limit(100),
  like: limit(40),
  comment: limit(15),
  follow: limit(25),
  endorse: limit(20),
  withdraw_request: limit(50),
};

/** What an account of a tier may do when nothing else is configured. */
export const DEFAULT_BUDGETS: Readonly<Record<AccountTier, Readonly<Record<BudgetAction, Limit>>>> = {
  basic: {
    ...COMMON,
    connection_request: limit(15, 80),
    connection_request_with_note: limit(1, 1),
    message: limit(40, 200),
    inmail: limit(0),
    profile_view: limit(50),
    like: limit(30),
    comment: limit(10),
    follow: limit(15),
    endorse: limit(10),
    withdraw_request: limit(40),
  },
  premium: {
    ...COMMON,
    connection_request: limit(20, 100),
    connection_request_with_note: limit(20, 100),
    message: limit(50, 250),
    inmail: limit(15),
    profile_view: limit(80),
    like: limit(30),
    comment: limit(15),
    follow: limit(20),
    endorse: limit(15),
    withdraw_request: limit(40),
  },
  sales: SALES,
  recruiter: SALES,
};

/** Above this nobody goes, whatever is configured. A noted request counts as a request. */
export const HARD_CEILING: Readonly<Partial<Record<BudgetAction, Limit>>> = {
  connection_request: limit(100, 200),
  connection_request_with_note: limit(100, 200),
};

/** Ramp-up of a fresh account. */
export interface Ramp {
  startShare: number;
  days: number;
}
export const DEFAULT_RAMP: Ramp = { startShare: 0.2, days: 14 };

/** Share of the limit after so many whole local days since the first send; null days: nothing was sent yet. */
export function rampFactor(daysSinceFirstSend: number | null, ramp: Ramp | null = DEFAULT_RAMP): number {
  if (ramp === null || ramp.days <= 0) return 1;
  const days = Math.max(0, daysSinceFirstSend ?? 0);
  return Math.min(1, ramp.startShare + ((1 - ramp.startShare) * days) / ramp.days);
}

/** Health of an account is its worst factor, not the mean (0 to 1); nothing known is healthy. */
export function healthOf(factors: readonly number[]): number {
  return factors.reduce((worst, factor) => Math.min(worst, Math.max(0, Math.min(1, factor))), 1);
}

function scaled(value: number, factor: number, health: number): number {
  if (value <= 0 || health <= 0) return 0;
  // A hair is added because 0.57 of 100 must be 57, not 56.999….
  return Math.max(1, Math.floor(value * factor * health + 1e-9));
}

function capped(configured: number, tier: number, ceiling: number | undefined): number {
  return Math.max(0, Math.floor(Math.min(configured, tier, ceiling ?? Number.POSITIVE_INFINITY)));
}

function weekOf(configured: number | null, tier: number | null, ceiling: number | null | undefined): number | null {
  const given = [configured, tier, ceiling ?? null].filter((value) => value !== null);
  return given.length === 0 ? null : Math.max(0, Math.floor(Math.min(...given)));
}

/**
 * The limit in force: floor(min(tier, configured, ceiling) × ramp × health), at least 1 unless the limit or the health
 * is 0. The tier's default is an upper bound: a setting can lower it, not raise it. Configured null is the tier's.
 */
export function effectiveLimit(
  action: BudgetAction,
  tier: AccountTier,
  configured: ConfiguredLimit | null,
  rampShare: number,
  health: number,
): Limit {
  const byTier = DEFAULT_BUDGETS[tier][action];
  const ceiling = HARD_CEILING[action];
  const day = capped(configured?.day ?? byTier.day, byTier.day, ceiling?.day);
  const week = weekOf(configured?.week ?? null, byTier.week, ceiling?.week);
  return { day: scaled(day, rampShare, health), week: week === null ? null : scaled(week, rampShare, health) };
}

/**
 * A day's limit on a date of this weekday (Monday 1 to Sunday 7): Saturday and Sunday get the account's weekendFactor,
 * null is all of it. At least 1 unless the factor or the limit is 0. The database has the same rule (app.weekend_limit).
 */
export function weekendLimit(day: number, weekday: number, weekendFactor: number | null): number {
  if (weekday < 6 || weekendFactor === null || day <= 0) return day;
  return weekendFactor <= 0 ? 0 : scaled(day, weekendFactor, 1);
}

/** Actions that reach a person and take the long gaps; see pacing. */
export const HEAVY_ACTIONS: readonly BudgetAction[] = [
  'connection_request',
  'connection_request_with_note',
  'message',
  'inmail',
  'comment',
  'mail',
];
