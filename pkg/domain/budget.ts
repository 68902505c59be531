import { ACTIONS, type BudgetAction, type Limit } from './actions.ts';
import type { AccountTier } from './vocabulary.ts';

/**
 * Budgets of a network account. One counter per account and action, whichever workspace spends it; windows are local
 * calendar dates of the account. The budgets themselves stand in actions.ts. Sources: catalog `defaults` (rampUp, weekWindow).
 */

/** What the settings of an account say of an action; what is absent is the tier's. */
export interface ConfiguredLimit {
  day?: number | undefined;
  week?: number | null | undefined;
}

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

function scaled(value: number, factor: number, health: number): number {
  if (value <= 0 || health <= 0) return 0;
  // A hair is added because 0.57 of 100 must be 57, not 56.999….
  return Math.max(1, Math.floor(value * factor * health + 1e-9));
}

function capped(...limits: (number | undefined)[]): number {
  return Math.max(0, Math.floor(Math.min(...limits.filter((limit) => limit !== undefined))));
}

function weekOf(configured: number | null, tier: number | null, ceiling: number | null | undefined): number | null {
  const given = [configured, tier, ceiling ?? null].filter((value) => value !== null);
  return given.length === 0 ? null : Math.max(0, Math.floor(Math.min(...given)));
}

/**
 * The limit in force: floor(min(tier, configured, ceiling) × ramp × health), at least 1 unless the limit or the health
 * is 0. The tier's default is an upper bound, which a setting lowers, and raises where the action allows it (mail). Configured null
 * is the tier's.
 */
export function effectiveLimit(
  action: BudgetAction,
  tier: AccountTier,
  configured: ConfiguredLimit | null,
  rampShare: number,
  health: number,
): Limit {
  const { budgets, ceiling, raisable } = ACTIONS[action];
  const byTier = budgets[tier];
  const day = capped(configured?.day ?? byTier.day, raisable ? undefined : byTier.day, ceiling?.day);
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
