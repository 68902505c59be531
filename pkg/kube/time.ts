import { DateTime } from 'luxon';

/** metav1.Time: RFC 3339 with whole seconds. @param ms epoch ms UTC */
export function formatTime(ms: number): string {
  return utc(ms).toFormat("yyyy-MM-dd'T'HH:mm:ss'Z'");
}

/**
 * metav1.MicroTime: exactly six digits. The API server refuses the three of `toISOString` with a 400 (kubernetes
 * #141204), after which leader election never works and looks healthy.
 * @param ms epoch ms UTC
 */
export function formatMicroTime(ms: number): string {
  return utc(ms).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'000Z'");
}

/** Epoch ms UTC of a Time or MicroTime, with any number of fraction digits; undefined when it is neither. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = DateTime.fromISO(text, { zone: 'utc' });
  return time.isValid ? time.toMillis() : undefined;
}

function utc(ms: number): DateTime {
  return DateTime.fromMillis(ms, { zone: 'utc' });
}
