import { instantOf, localTime } from '../local-time.ts';
import type { AttendeeAnswer, CalendarAttendee } from './calendar-event.ts';
import type { Span } from './span.ts';

const DAY_MS = 86_400_000;

/** When an event takes place: epoch ms UTC, the end exclusive; `allDay`: midnights of dates in UTC, as iCalendar's dates are. */
export interface EventTimes {
  start: number;
  end: number;
  allDay: boolean;
}

/**
 * What is wished of an event. Without `allDay` the event stays what it is: of one that lasts whole days the times are moments of the day
 * that is meant, by the clocks of the calendar. Absent stays as it is, an empty text clears. Attendees
 * (addresses, lower case) replace all.
 */
export interface EventWish {
  summary?: string;
  description?: string;
  location?: string;
  start?: number;
  end?: number;
  allDay?: boolean;
  attendees?: readonly string[];
}

/** What of an event can be wished. */
export interface EventState extends EventTimes {
  summary: string;
  description: string;
  location: string;
  attendees: readonly CalendarAttendee[];
}

/** Attendees of one event at most: more guests than that get no answers from Google, and a mail to each is none of a sales team. */
export const MOST_ATTENDEES = 50;

/** Whose calendar it is: their address, and their IANA zone. */
export interface CalendarOwner {
  email: string;
  timezone: string;
}

/** The event as it is wished; who was invited before keeps their answer, and the owner, who is no guest, their place. */
export function wishedEvent(known: EventState, wish: EventWish, { email: owner, timezone }: CalendarOwner): EventState {
  const { attendees, ...others } = wish;
  const times = movedTimes(known, wish, timezone);
  const answers = new Map(known.attendees.map((one) => [one.email.toLowerCase(), one]));
  const invited = attendees?.map((email): CalendarAttendee => answers.get(email) ?? { email, answer: 'needs_action' });
  const own = known.attendees.filter(({ email }) => isSame(email, owner) && !attendees?.includes(email.toLowerCase()));
  return { ...known, ...others, ...times, attendees: invited ? [...own, ...invited] : known.attendees };
}

/** Whether two addresses are written the same. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** A start alone moves the event and keeps its length. */
export function movedTimes(
  known: EventTimes,
  wish: Pick<EventWish, 'start' | 'end' | 'allDay'>,
  timezone: string,
): EventTimes {
  const days = wish.allDay === undefined && known.allDay;
  const first = days && wish.start !== undefined ? dateOf(wish.start, timezone) : wish.start;
  // An end within a day includes that day.
  const last = days && wish.end !== undefined ? dateOf(wish.end - 1, timezone) + DAY_MS : wish.end;
  const end = last ?? (first === undefined ? known.end : first + (known.end - known.start));
  return { start: first ?? known.start, end, allDay: wish.allDay ?? known.allDay };
}

/** The midnight in UTC of the date that the clocks show at an instant. */
function dateOf(at: number, timezone: string): number {
  return localTime(at, timezone).dayNumber * DAY_MS;
}

/** When an event takes its owner's time: whole days are those of the calendar. */
export function takenBy({ start, end, allDay }: EventTimes, timezone: string): Span {
  if (!allDay) return { start, end };
  return { start: instantOf(start / DAY_MS, 0, timezone), end: instantOf(end / DAY_MS, 0, timezone) };
}

/** Whether both take place at the same time. */
export function sameTimes(one: EventTimes, other: EventTimes): boolean {
  return one.start === other.start && one.end === other.end && one.allDay === other.allDay;
}

/** Whether two states of an event say the same to everybody who sees it. */
export function saysTheSame(one: EventState, other: EventState): boolean {
  return (
    one.summary === other.summary &&
    one.description === other.description &&
    one.location === other.location &&
    sameTimes(one, other) &&
    namesOf(one) === namesOf(other)
  );
}

function namesOf({ attendees }: EventState): string {
  return attendees
    .map(({ email }) => email.toLowerCase())
    .toSorted()
    .join(' ');
}

/** Who was invited and is not any more. */
export function uninvited(before: EventState, after: EventState): CalendarAttendee[] {
  const left = new Set(after.attendees.map(({ email }) => email.toLowerCase()));
  return before.attendees.filter(({ email }) => !left.has(email.toLowerCase()));
}

/** The answer in the words of iCalendar. */
export const PARTSTAT: Readonly<Record<AttendeeAnswer, string>> = {
  needs_action: 'NEEDS-ACTION',
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
};

/** The answer that iCalendar's word says; a word that is none of these is no answer. */
export function answerOfPartstat(partstat: string): AttendeeAnswer {
  const said = partstat.toUpperCase();
  const answers: readonly AttendeeAnswer[] = ['accepted', 'declined', 'tentative'];
  return answers.find((answer) => PARTSTAT[answer] === said) ?? 'needs_action';
}
