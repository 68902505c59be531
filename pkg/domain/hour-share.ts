import type { Limit } from './budget.ts';
import { type SendHours, sendZones } from './business-hours.ts';
import { zoneOffset } from './local-time.ts';

/** How much time of a usual week an action has. */
export interface OpenTime {
  hoursPerDay: number;
  daysPerWeek: number;
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** No hour carries more than so many times what an open hour carries on average. */
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

/**
 * The most actions of a kind within any 60 minutes: twice what the day's limit (or a fifth of the week's on five working
 * days) gives an open hour, at least 1. Who has a backlog on Monday at 9:00 spreads it over the day.
 */
export function hourShare({ day, week }: Limit, open: OpenTime): number {
  const perDay = Math.min(day, week === null ? day : week / Math.max(1, open.daysPerWeek));
  return Math.max(1, Math.floor((SHARE * perDay) / Math.max(1, open.hoursPerDay)));
}

/**
 * When an action could be tried next that at `at` would be one too many within 60 minutes; null when it fits.
 * @param times moments of its kind, sorted
 */
export function behindCrowd(times: readonly number[], at: number, most: number): number | null {
  for (const [index, first] of times.entries()) {
    if (first <= at - HOUR_MS) continue;
    if (first >= at + HOUR_MS) return null;
    const last = times[index + most - 1];
    if (last === undefined) return null;
    if (Math.max(last, at) - Math.min(first, at) < HOUR_MS) return first + HOUR_MS;
  }
  return null;
}
