import { dateOfDay, dayOfDate, instantOf, localTime } from './local-time.ts';

/**
 * Use of a budget by local date: `used[0]` is the head date, `used[6]` six dates before. The daily window is the head
 * date, the weekly one all seven. Source: catalog `defaults.weekWindow`.
 */
export interface BudgetWindow {
  /** Local date of the account, `2026-03-29`. */
  headDate: string;
  /** Seven counts, newest first. */
  used: readonly number[];
}

export const WINDOW_DAYS = 7;

/** The local date of an account at an instant (epoch ms). */
export function localDate(atMs: number, timezone: string): string {
  return dateOfDay(localTime(atMs, timezone).dayNumber);
}

/** First instant of the next local date (epoch ms): when a daily budget opens again. */
export function nextLocalMidnight(atMs: number, timezone: string): number {
  return instantOf(localTime(atMs, timezone).dayNumber + 1, 0, timezone);
}

/**
 * The window moved to a date. A date before the head keeps the head: a changed timezone (or a clock that differs by a
 * day) counts from the next date on and never frees what was used.
 */
export function rollWindow(used: readonly number[], headDate: string, newDate: string): BudgetWindow {
  const filled = Array.from({ length: WINDOW_DAYS }, (_unused, at) => used[at] ?? 0);
  const moved = dayOfDate(newDate) - dayOfDate(headDate);
  if (!(moved > 0)) return { headDate, used: filled };
  const zeros = Array.from({ length: Math.min(moved, WINDOW_DAYS) }, () => 0);
  return { headDate: newDate, used: [...zeros, ...filled].slice(0, WINDOW_DAYS) };
}

/** Units of the seven dates of a window. */
export function usedInWeek(window: BudgetWindow): number {
  return window.used.reduce((sum, count) => sum + count, 0);
}

/** What is left on the head date: the smaller of day and week. Unused budget of earlier dates is never made up. */
export function remaining(window: BudgetWindow, limit: { day: number; week: number | null }): number {
  const today = limit.day - (window.used[0] ?? 0);
  const week = limit.week === null ? today : limit.week - usedInWeek(window);
  return Math.max(0, Math.min(today, week));
}

/**
 * First local date (not before the head) on which a unit is free when nothing else is spent; null when the limit is 0.
 * Seven dates are enough: then the whole window has moved on.
 */
export function nextFreeDate(window: BudgetWindow, limit: { day: number; week: number | null }): string | null {
  if (limit.day <= 0 || limit.week === 0) return null;
  const head = dayOfDate(window.headDate);
  for (let day = head; day <= head + WINDOW_DAYS; day++) {
    const date = dateOfDay(day);
    if (remaining(rollWindow(window.used, window.headDate, date), limit) > 0) return date;
  }
  return null;
}
