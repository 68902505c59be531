import { instantOf, localTime } from '../local-time.ts';

/** What a report covers. Source: catalog `automationKinds`. */
export const REPORT_PERIODS = ['day', 'week'] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];

/**
 * The last local day, or the last week from its Monday, that was over at `at`. Epoch ms, `to` exclusive; a day on which clocks change has
 * 23 or 25 hours.
 * @param timezone IANA
 */
export function lastPeriod(period: ReportPeriod, at: number, timezone: string): { from: number; to: number } {
  const { dayNumber, weekday } = localTime(at, timezone);
  const [end, days] = period === 'day' ? [dayNumber, 1] : [dayNumber - (weekday - 1), 7];
  return { from: instantOf(end - days, 0, timezone), to: instantOf(end, 0, timezone) };
}
