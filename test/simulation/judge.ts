import { DateTime } from 'luxon';
import type { BusinessHours } from '../../pkg/domain/business-hours.ts';
import type { Act } from './simulated-network.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HEAVY = new Set(['connection_request', 'message', 'inmail', 'comment']);

/** What a person may receive once: a text per person, a request per account and person. */
export function twice(acts: readonly Act[]): string[] {
  const keys = acts.flatMap((act) => {
    if (act.kind === 'message') return [`${act.publicId} ${act.text}`];
    return act.kind === 'connection_request' ? [`${act.account} asks ${act.publicId}`] : [];
  });
  return [...Map.groupBy(keys, (key) => key)].filter(([, all]) => all.length > 1).map(([key]) => key);
}

/** Bounds of an account. */
export interface Bounds {
  timezone: string;
  hours: BusinessHours;
  /** Units by kind. */
  limits: Record<string, { day: number; week?: number }>;
  /** Part of a day's units on Saturday and Sunday. */
  weekendFactor?: number;
}

/** Local dates and any seven of them on which an account did more than it may. */
export function overBudget(acts: readonly Act[], { timezone, limits, weekendFactor = 1 }: Bounds): string[] {
  const over: string[] = [];
  for (const [kind, { day, week }] of Object.entries(limits)) {
    const days = new Map<number, number>();
    for (const act of acts.filter((one) => one.kind === kind)) {
      const local = DateTime.fromMillis(act.at, { zone: timezone });
      const date = Date.UTC(local.year, local.month - 1, local.day) / DAY;
      days.set(date, (days.get(date) ?? 0) + 1);
    }
    for (const [date, units] of days) {
      const weekday = new Date(date * DAY).getUTCDay();
      const most = weekday === 0 || weekday === 6 ? Math.floor(day * weekendFactor) : day;
      if (units > most) over.push(`${kind}: ${units} of ${most} on ${new Date(date * DAY).toISOString().slice(0, 10)}`);
      const sum = [0, 1, 2, 3, 4, 5, 6].reduce((all, back) => all + (days.get(date - back) ?? 0), 0);
      if (week !== undefined && sum > week) over.push(`${kind}: ${sum} of ${week} in the seven days to ${date}`);
    }
  }
  return over;
}

/** Moments from which a kind came more than `most` times within 60 minutes. */
export function crowded(acts: readonly Act[], kind: string, most: number): string[] {
  const times = acts.filter((act) => act.kind === kind).map((act) => act.at);
  return times.flatMap((at, index) => {
    const later = times[index + most];
    return later !== undefined && later - at < HOUR ? [`${kind} from ${new Date(at).toISOString()}`] : [];
  });
}

/** Pairs of one class that came nearer to each other than the least gap. */
export function tooNear(acts: readonly Act[], gapMs: { heavy: number; light: number }): string[] {
  return [true, false].flatMap((heavy) => {
    const times = acts.filter((act) => HEAVY.has(act.kind) === heavy).map((act) => act.at);
    return times.flatMap((at, index) => {
      const gap = at - (times[index - 1] ?? Number.NEGATIVE_INFINITY);
      return gap < (heavy ? gapMs.heavy : gapMs.light) ? [`${gap} ms at ${new Date(at).toISOString()}`] : [];
    });
  });
}

/** Whether a clock on the wall of a zone shows an open hour. */
function open(at: number, zone: string, hours: BusinessHours): boolean {
  const local = DateTime.fromMillis(at, { zone });
  return hours.days.includes(local.weekday) && local.hour >= hours.startHour && local.hour < hours.endHour;
}

/** Acts outside of hours that bind them; a zone for each of the hours that count. */
export function outOfHours(
  acts: readonly Act[],
  hoursOf: (act: Act) => [zone: string, hours: BusinessHours][],
): string[] {
  return acts
    .filter((act) => !hoursOf(act).every(([zone, hours]) => open(act.at, zone, hours)))
    .map((act) => `${act.kind} to ${act.publicId} at ${new Date(act.at).toISOString()}`);
}
