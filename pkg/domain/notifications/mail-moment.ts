import { instantOf, localTime } from '../local-time.ts';
import { afterQuiet, type QuietHours } from './quiet-hours.ts';

/** How often a member gets mails: as it happens, or together. */
export const DIGESTS = ['off', 'hourly', 'daily'] as const;
export type Digest = (typeof DIGESTS)[number];

/** Hour of the day at which the daily digest leaves, on the member's wall clock. */
export const DIGEST_HOUR = 8;
const HOUR_MS = 3_600_000;
/** What was mailed and grew while it stayed unread is mailed again after a day at the earliest. */
export const MAILED_AGAIN_MS = 24 * HOUR_MS;

/** What decides when a mail about a notification may leave. */
export interface MailRules {
  digest: Digest;
  quietHours: QuietHours | null;
  /** IANA name of the member's zone. */
  timezone: string;
}

/**
 * When a mail may leave that tells of something at `now`, epoch ms: at once, with the digest of the hour or of the day, and never in
 * quiet hours: what was held by them leaves when they end, together. What is urgent leaves at once.
 * @param of `mailedAt`: when a mail told of the same notification; null: none did
 */
export function mailMoment(
  now: number,
  { digest, quietHours, timezone }: MailRules,
  of: { urgent: boolean; mailedAt: number | null },
): number {
  if (of.urgent) return now;
  const from = of.mailedAt === null ? now : Math.max(now, of.mailedAt + MAILED_AGAIN_MS);
  const due = digest === 'off' ? from : digest === 'hourly' ? nextHour(from, timezone) : nextDigest(from, timezone);
  return quietHours === null ? due : afterQuiet(due, quietHours);
}

/** The next time that the wall clock shows a full hour. */
function nextHour(from: number, timezone: string): number {
  const { dayNumber, hour } = localTime(from, timezone);
  const full = instantOf(dayNumber, hour + 1, timezone);
  // In the hour that is repeated the wall clock has shown the next one already, or shows it later than in an hour.
  return full > from && full - from <= HOUR_MS ? full : from + HOUR_MS - (from % HOUR_MS);
}

/** The next 8:00 of the wall clock. */
function nextDigest(from: number, timezone: string): number {
  const { dayNumber } = localTime(from, timezone);
  const today = instantOf(dayNumber, DIGEST_HOUR, timezone);
  return today >= from ? today : instantOf(dayNumber + 1, DIGEST_HOUR, timezone);
}
