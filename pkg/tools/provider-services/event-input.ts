import { oneLine } from '../../base/one-line.ts';
import { MOST_ATTENDEES } from '../../domain/calendar/calendar-wish.ts';
import { dayOfDate } from '../../domain/local-time.ts';
import type { Tx } from '../../postgres/database.ts';
import { barredAmong } from '../../store/suppression/excluded-addresses.ts';
import { invalidInput } from '../errors.ts';
import { suppressedAttendee } from './suppressed-attendee.ts';
import { instantOfInput, isDate } from './time-input.ts';

/** Characters of a title, a place and a description: what calendars show. */
const MOST = { summary: 500, location: 500, description: 8_000 } as const;

/** What an event is made or changed with. */
export interface EventInput {
  summary?: string | undefined;
  startTime?: string | undefined;
  endTime?: string | undefined;
  description?: string | undefined;
  location?: string | undefined;
  attendeeEmails?: readonly string[] | undefined;
}

/**
 * The wish as it is planned. Two dates are whole days, the second exclusive; of one time alone the event says what it is.
 * @param own the calendar's address: who invites is no guest
 * @throws UserError
 */
export function wantedOf(
  input: EventInput,
  timezone: string,
  own: string,
): Record<string, string | number | boolean | string[]> {
  for (const name of ['summary', 'location', 'description'] as const)
    if ((input[name]?.length ?? 0) > MOST[name]) throw invalidInput(name, `has more than ${MOST[name]} characters`);
  const { summary, description, location } = input;
  if (summary?.trim() === '') throw invalidInput('summary', 'must say something');
  return {
    ...(summary === undefined ? {} : { summary: oneLine(summary) }),
    ...(description === undefined ? {} : { description: description.replace(/\r\n?/g, '\n').trim() }),
    ...(location === undefined ? {} : { location: oneLine(location) }),
    ...timesOf(input, timezone),
    ...(input.attendeeEmails === undefined ? {} : { attendees: attendeesOf(input.attendeeEmails, own) }),
  };
}

function timesOf(
  { startTime, endTime }: EventInput,
  timezone: string,
): { start?: number; end?: number; allDay?: boolean } {
  const [first, last] = [startTime, endTime].map((text) => text !== undefined && isDate(text));
  const whole = first && last;
  const at = (text: string): number => (whole ? dayOfDate(text) * 86_400_000 : instantOfInput(text, timezone));
  const start = startTime === undefined ? undefined : at(startTime);
  const end = endTime === undefined ? undefined : at(endTime);
  if (start !== undefined && end !== undefined && end <= start)
    throw invalidInput('endTime', 'must be after startTime');
  return {
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(start === undefined || end === undefined ? {} : { allDay: whole === true }),
  };
}

/** Each address once, in lower case. @throws UserError */
function attendeesOf(given: readonly string[], own: string): string[] {
  const all = [...new Set(given.map((email) => email.trim().toLowerCase()))].filter(
    (email) => email !== own.toLowerCase(),
  );
  if (all.length > MOST_ATTENDEES) throw invalidInput('attendeeEmails', `has more than ${MOST_ATTENDEES} addresses`);
  return all;
}

/** Nobody is invited who must not be written to. @param now epoch ms, product time @throws UserError */
export async function requireAllowed(
  tx: Tx,
  workspaceId: string,
  emails: readonly string[],
  now: number,
): Promise<void> {
  const [barred] = await barredAmong(tx, workspaceId, emails, now);
  if (barred !== undefined) throw suppressedAttendee(barred);
}
