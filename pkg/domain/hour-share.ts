import type { Limit } from './actions.ts';
import { type SendHours, sendZones } from './business-hours.ts';
import { zoneOffset } from './local-time.ts';

/** How much time of a usual week an action has. */
export interface OpenTime {
  hoursPerDay: number;
  daysPerWeek: number;
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** An hour may carry so many times what an open hour carries on average. */
const SHARE = 2;

/** Open time of an action: the account's hours where they meet the campaign's, the account's alone where they never do. */
export function openTime(hours: SendHours, atMs: number): OpenTime {
  const { account, campaign } = hours;
  const own = { hoursPerDay: account.endHour - account.startHour, daysPerWeek: account.days.length };
  if (!campaign) return own;
  const zones = sendZones(hours);
  const shift = (zoneOffset(atMs, zones.account) - zoneOffset(atMs, zones.campaign)) / HOUR_MS;
  const both = [-DAY_HOURS, 0, DAY_HOURS].reduce((sum, turn) => {
    const start = Math.max(account.startHour, campaign.startHour + shift + turn);
    const end = Math.min(account.endHour, campaign.endHour + shift + turn);
    return sum + Math.max(0, end - start);
  }, 0);
  const days = account.days.filter((day) => campaign.days.includes(day)).length;
  return both > 0 && days > 0 ? { hoursPerDay: both, daysPerWeek: days } : own;
}

/** So many actions of a kind within any stretch of this length (ms). */
export interface HourShare {
  most: number;
  withinMs: number;
}

/**
 * Twice what the day's limit (or a working day's part of the week's) gives an open hour, within any 60 minutes. Where that
 * is less than two, one action within a stretch that keeps the same rate, so that small limits can be used up. Who has a
 * backlog on Monday at 9:00 spreads it over the day.
 */
export function hourShare({ day, week }: Limit, open: OpenTime): HourShare {
  const perDay = Math.min(day, week === null ? day : week / Math.max(1, open.daysPerWeek));
  const rate = (SHARE * perDay) / Math.max(1, open.hoursPerDay);
  if (rate >= 2) return { most: Math.floor(rate), withinMs: HOUR_MS };
  return { most: 1, withinMs: Math.floor(HOUR_MS / Math.max(1, rate)) };
}

/**
 * When an action could be tried next that at `at` would be one too many; null when it fits.
 * @param times moments of its kind, sorted
 */
export function behindCrowd(times: readonly number[], at: number, { most, withinMs }: HourShare): number | null {
  for (const [index, first] of times.entries()) {
    if (first <= at - withinMs) continue;
    if (first >= at + withinMs) return null;
    const last = times[index + most - 1];
    if (last === undefined) return null;
    if (Math.max(last, at) - Math.min(first, at) < withinMs) return first + withinMs;
  }
  return null;
}
