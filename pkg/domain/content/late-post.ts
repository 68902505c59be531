import { type BusinessHours, nextOpening } from '../business-hours.ts';

const HOUR_MS = 3_600_000;
/** Up to this a post is on time: pace and budget of its account move it by minutes. */
export const ON_TIME_MS = 15 * 60_000;
/** A post is not begun later than this after its time: rule C6. */
export const MISSED_AFTER_MS = 6 * HOUR_MS;
/** A backlog goes out one post per account in this time: rule C6. */
export const BACKLOG_GAP_MS = HOUR_MS;

/** A post whose time has come. All times epoch ms. */
export interface DuePost {
  plannedFor: number;
  now: number;
  /** When its account published last; null: never. */
  lastPostAt: number | null;
  /** Hours of its account, and the zone in which they are read. */
  hours: BusinessHours;
  timezone: string;
}

/**
 * When a due post may go out: at once while it is on time, whatever the hours say, since a person chose its time. A late one waits
 * for the hours of its account and for an hour since the post before; null: that is too late, and it is missed.
 */
export function startOfPost({ plannedFor, now, lastPostAt, hours, timezone }: DuePost): number | null {
  if (now - plannedFor <= ON_TIME_MS) return now;
  const free = lastPostAt === null ? now : Math.max(now, lastPostAt + BACKLOG_GAP_MS);
  const at = nextOpening(free, hours, timezone);
  return at > plannedFor + MISSED_AFTER_MS ? null : at;
}
