import type { CalendarAttendee } from '../../../domain/calendar/calendar-event.ts';
import { answerOfPartstat, type EventState } from '../../../domain/calendar/calendar-wish.ts';
import { instantOf } from '../../../domain/local-time.ts';
import { type ContentLine, paramOf, parsedLine, plainText, unfolded } from './content-lines.ts';
import { zoneByName } from './zone-names.ts';

const DAY_MS = 86_400_000;

/** A part of a calendar object (VEVENT, VTIMEZONE), with its own BEGIN and END. */
export interface CalendarPart {
  type: string;
  lines: readonly string[];
}

/** A calendar object by its parts. */
export interface CalendarText {
  /** Its own properties. */
  head: readonly string[];
  parts: readonly CalendarPart[];
}

/** What is known of an event by its text. */
export interface TextOfEvent {
  uid: string;
  sequence: number;
  /** It belongs to a series, or is one. */
  recurring: boolean;
  /** Its owner says that it takes no time. */
  transparent: boolean;
  /** Lower case; null: nobody was invited. */
  organizer: string | null;
  /** Null where its times can not be read. */
  state: EventState | null;
}

/** Splits a calendar object; what stands outside of it is left out. */
export function partsOf(text: string): CalendarText {
  const head: string[] = [];
  const parts: { type: string; lines: string[] }[] = [];
  let depth = 0;
  for (const line of unfolded(text)) {
    const begins = /^BEGIN:(.+)$/i.exec(line)?.[1]?.trim().toUpperCase();
    const ends = /^END:/i.test(line);
    if (begins === 'VCALENDAR' || (ends && depth === 0)) continue;
    if (begins !== undefined && depth === 0) parts.push({ type: begins, lines: [] });
    if (begins !== undefined) depth++;
    if (depth === 0) head.push(line);
    else parts.at(-1)?.lines.push(line);
    if (ends) depth--;
  }
  return { head, parts };
}

/** The lines of a part that are its own, and not of an alarm in it, with their places. */
export function ownLines({ lines }: CalendarPart): { at: number; line: ContentLine }[] {
  const own: { at: number; line: ContentLine }[] = [];
  let depth = 0;
  lines.forEach((text, at) => {
    if (/^END:/i.test(text)) depth--;
    else if (/^BEGIN:/i.test(text)) depth++;
    else if (depth === 1) own.push({ at, line: parsedLine(text) });
  });
  return own;
}

/** The event itself, and no moved instance of it; undefined: there is none. */
export function masterOf({ parts }: CalendarText): CalendarPart | undefined {
  const events = parts.filter(({ type }) => type === 'VEVENT');
  return events.find((part) => !ownLines(part).some(({ line }) => line.name === 'RECURRENCE-ID')) ?? events[0];
}

/** @param timezone of the calendar, for times without one. @returns undefined where the text holds no event */
export function readEventText(text: string, timezone: string): TextOfEvent | undefined {
  const calendar = partsOf(text);
  const master = masterOf(calendar);
  if (!master) return undefined;
  const lines = ownLines(master).map(({ line }) => line);
  const find = (name: string): ContentLine | undefined => lines.find((line) => line.name === name);
  const organizer = find('ORGANIZER');
  return {
    uid: find('UID')?.value ?? '',
    sequence: Number(find('SEQUENCE')?.value ?? 0) || 0,
    recurring:
      ['RRULE', 'RDATE', 'RECURRENCE-ID'].some((name) => find(name) !== undefined) ||
      calendar.parts.filter(({ type }) => type === 'VEVENT').length > 1,
    transparent: find('TRANSP')?.value.trim().toUpperCase() === 'TRANSPARENT',
    organizer: organizer ? addressOf(organizer) : null,
    state: stateOf(lines, timezone),
  };
}

function stateOf(lines: readonly ContentLine[], timezone: string): EventState | null {
  const find = (name: string): ContentLine | undefined => lines.find((line) => line.name === name);
  const text = (name: string): string => plainText(find(name)?.value ?? '');
  const begin = find('DTSTART');
  if (!begin) return null;
  const start = instantOfLine(begin, timezone);
  const finish = find('DTEND');
  const allDay = /^\d{8}$/.test(begin.value);
  const end = finish
    ? instantOfLine(finish, timezone)
    : start + (durationOf(find('DURATION')?.value) ?? (allDay ? DAY_MS : 0));
  if (!Number.isFinite(start) || !Number.isFinite(end)) return null;
  return {
    summary: text('SUMMARY'),
    description: text('DESCRIPTION'),
    location: text('LOCATION'),
    start,
    end,
    allDay,
    attendees: lines.filter(({ name }) => name === 'ATTENDEE').map(attendeeOf),
  };
}

/** Epoch ms of a time property; NaN where it can not be read. A date is its midnight in UTC. */
export function instantOfLine(line: ContentLine, timezone: string): number {
  const [, date = '', clock, utc] = /^(\d{8})(?:T(\d{6})(Z)?)?$/.exec(line.value.trim()) ?? [];
  if (date === '') return Number.NaN;
  const day = Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00:00Z`);
  if (clock === undefined) return day;
  const [hour = 0, minute = 0, second = 0] = (clock.match(/../g) ?? []).map(Number);
  const hours = hour + minute / 60 + second / 3_600;
  if (utc) return day + Math.round(hours * 3_600_000);
  const named = paramOf(line, 'TZID');
  const zone = named === undefined ? timezone : zoneByName(named);
  return zone !== null ? Math.round(instantOf(day / DAY_MS, hours, zone)) : Number.NaN;
}

/** Ms of `P1DT2H`; undefined: it is none. */
function durationOf(text: string | undefined): number | undefined {
  const parts = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text ?? '');
  if (!parts) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}

/** The mail address of an organizer or attendee, lower case. */
export function addressOf({ value }: ContentLine): string {
  return value
    .trim()
    .replace(/^mailto:/i, '')
    .toLowerCase();
}

/** Who is invited, and what they said. */
export function attendeeOf(line: ContentLine): CalendarAttendee {
  const name = paramOf(line, 'CN');
  const answer = answerOfPartstat(paramOf(line, 'PARTSTAT') ?? '');
  return { email: addressOf(line), ...(name ? { name } : {}), answer };
}
