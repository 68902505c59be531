import { instantOf, localTime } from '../local-time.ts';

/** Hours in which a member is left alone, on the wall clock of their zone; they may span midnight. */
export interface QuietHours {
  /** 0 to 23; the first hour that is quiet. */
  startHour: number;
  /** 0 to 23; the first hour that is not quiet any more; the same as startHour: no hour is quiet. */
  endHour: number;
  /** IANA name. */
  timezone: string;
}

/** Whether an hour of the day is quiet. */
const isQuietHour = (hour: number, { startHour, endHour }: QuietHours): boolean =>
  startHour <= endHour ? hour >= startHour && hour < endHour : hour >= startHour || hour < endHour;

/**
 * The first instant from `at` on (epoch ms) that is not quiet. Clocks that are changed meanwhile shorten or lengthen the night: it ends
 * when the wall clock shows the hour, and where the hour does not exist, when it would.
 */
export function afterQuiet(at: number, quiet: QuietHours): number {
  const { hour, dayNumber } = localTime(at, quiet.timezone);
  if (!isQuietHour(hour, quiet)) return at;
  const ends = quiet.endHour > hour ? dayNumber : dayNumber + 1;
  return Math.max(at, instantOf(ends, quiet.endHour, quiet.timezone));
}
