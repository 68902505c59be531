import { z } from 'zod';
import type { AttendeeAnswer, CalendarEvent } from '../../../domain/calendar/calendar-event.ts';
import type { EventState } from '../../../domain/calendar/calendar-wish.ts';
import { dateOfDay } from '../../../domain/local-time.ts';
import type { StoredEvent } from '../calendar-writer.ts';

const DAY_MS = 86_400_000;
const time = z.object({
  date: z.string().optional(),
  dateTime: z.string().optional(),
  timeZone: z.string().optional(),
});
const attendee = z.looseObject({
  email: z.string().default(''),
  displayName: z.string().optional(),
  responseStatus: z.string().optional(),
  self: z.boolean().optional(),
});

/** An event as the API of Google Calendar (v3) tells it: what we read of it. */
export const googleEvent = z.object({
  id: z.string(),
  etag: z.string().default(''),
  iCalUID: z.string().default(''),
  status: z.string().default('confirmed'),
  htmlLink: z.string().default(''),
  summary: z.string().default(''),
  description: z.string().default(''),
  location: z.string().default(''),
  start: time.optional(),
  end: time.optional(),
  sequence: z.number().default(0),
  transparency: z.string().optional(),
  eventType: z.string().optional(),
  recurrence: z.array(z.string()).optional(),
  recurringEventId: z.string().optional(),
  originalStartTime: time.optional(),
  organizer: z.object({ email: z.string().optional() }).optional(),
  attendees: z.array(attendee).default([]),
});
export type GoogleEvent = z.infer<typeof googleEvent>;

const ANSWERS: Readonly<Record<string, AttendeeAnswer>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentative: 'tentative',
};
const KINDS: Readonly<Record<string, NonNullable<CalendarEvent['kind']>>> = {
  workingLocation: 'working_location',
  outOfOffice: 'out_of_office',
  focusTime: 'focus',
  birthday: 'birthday',
};

const answerOf = (status: string | undefined): AttendeeAnswer => ANSWERS[status ?? ''] ?? 'needs_action';

/** The event as a change needs it; null where it has no times: of a deleted one the id alone is left. */
export function storedGoogleEvent(event: GoogleEvent): StoredEvent | null {
  const state = stateOf(event);
  if (!state) return null;
  return {
    eventId: event.id,
    uid: event.iCalUID,
    place: event.id,
    version: event.etag,
    sequence: event.sequence,
    recurring: event.recurrence !== undefined || event.recurringEventId !== undefined,
    transparent: event.transparency === 'transparent',
    organizer: event.organizer?.email?.toLowerCase() ?? null,
    state,
    htmlLink: event.htmlLink,
    raw: JSON.stringify(event.attendees),
  };
}

function stateOf(event: GoogleEvent): EventState | null {
  const { summary, description, location, start, end, attendees } = event;
  const allDay = start?.date !== undefined;
  const from = Date.parse(start?.dateTime ?? start?.date ?? '');
  const until = Date.parse(end?.dateTime ?? end?.date ?? '');
  if (!Number.isFinite(from) || !Number.isFinite(until)) return null;
  return {
    summary,
    description,
    location,
    start: from,
    end: until,
    allDay,
    attendees: attendees.map((one) => ({
      email: one.email.toLowerCase(),
      ...(one.displayName === undefined ? {} : { name: one.displayName }),
      answer: answerOf(one.responseStatus),
    })),
  };
}

/** The event as slots are computed from it. @param midnightOf epoch ms of a date's midnight in the calendar's zone */
export function calendarEventOf(event: GoogleEvent, midnightOf: (date: string) => number): CalendarEvent | null {
  const state = stateOf(event);
  if (!state) return null;
  const { start, end } = event;
  const own = event.attendees.find((one) => one.self)?.responseStatus;
  const kind = KINDS[event.eventType ?? ''];
  const organizer = event.organizer?.email?.toLowerCase();
  return {
    uid: event.id,
    start: start?.date === undefined ? state.start : midnightOf(start.date),
    end: end?.date === undefined ? Math.max(state.end, state.start) : midnightOf(end.date),
    allDay: state.allDay,
    title: event.summary,
    status: event.status === 'cancelled' ? 'cancelled' : event.status === 'tentative' ? 'tentative' : 'confirmed',
    transparent: event.transparency === 'transparent',
    attendees: state.attendees,
    ...(event.location === '' ? {} : { location: event.location }),
    ...(event.description === '' ? {} : { description: event.description }),
    ...(event.htmlLink === '' ? {} : { url: event.htmlLink }),
    ...(organizer === undefined ? {} : { organizer }),
    ...(own === undefined ? {} : { own: answerOf(own) }),
    ...(kind === undefined ? {} : { kind }),
  };
}

/**
 * What of an event is written; attendees as they are kept, so that none of them loses what they said. A field of a time that is not
 * named stays beside the other one at Google, and a time with a date and a clock is refused: the other is named as null.
 */
export function googleBody(
  state: EventState,
  timezone: string,
  kept: readonly { email: string }[],
): Record<string, unknown> {
  const known = new Map(kept.map((one) => [one.email.toLowerCase(), one]));
  const { summary, description, location, start, end, allDay, attendees } = state;
  const at = (ms: number) =>
    allDay
      ? { date: dateOfDay(ms / DAY_MS), dateTime: null, timeZone: null }
      : { date: null, dateTime: new Date(ms).toISOString(), timeZone: timezone };
  return {
    summary,
    description,
    location,
    start: at(start),
    end: at(allDay ? Math.max(end, start + DAY_MS) : end),
    attendees: attendees.map(({ email }) => known.get(email.toLowerCase()) ?? { email }),
  };
}
