import type { AttendeeAnswer, CalendarAttendee } from '../../../domain/calendar/calendar-event.ts';
import { type EventState, type EventTimes, isSame, PARTSTAT } from '../../../domain/calendar/calendar-wish.ts';
import { utcStamp } from '../../../domain/calendar/wall-time.ts';
import { zoneOffset } from '../../../domain/local-time.ts';
import { escapedText, paramOf, paramValue, textOfLines, withParam } from './content-lines.ts';
import {
  addressOf,
  type CalendarPart,
  type CalendarText,
  masterOf,
  ownLines,
  partsOf,
  readEventText,
} from './event-text.ts';
import { wallStamp, zoneLines } from './write-zone.ts';

/** Who writes. */
export interface EventWriter {
  /** Epoch ms UTC. */
  now: number;
  /** Of the calendar: times are written in it. */
  timezone: string;
  /** Who invites; an event without attendees has none. */
  organizer: string;
  /** The calendar's server sends invitations by itself. */
  serverInvites: boolean;
}

const PRODID = 'PRODID:-//Outrider//Calendar//EN';

/** The text of a new event. */
export function newEventText(uid: string, event: EventState, writer: EventWriter): string {
  const { summary, description, location, attendees, start } = event;
  const zone = event.allDay || writer.timezone === 'UTC' ? [] : zoneLines(writer.timezone, start);
  return textOfLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    PRODID,
    ...zone,
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${utcStamp(writer.now)}`,
    `CREATED:${utcStamp(writer.now)}`,
    ...timeLines(event, writer.timezone),
    'SEQUENCE:0',
    'STATUS:CONFIRMED',
    ...textLine('SUMMARY', summary),
    ...textLine('DESCRIPTION', description),
    ...textLine('LOCATION', location),
    ...(attendees.length > 0 ? [organizerLine(writer)] : []),
    ...attendees.map((one) => attendeeLine(one, writer)),
    'END:VEVENT',
    'END:VCALENDAR',
  ]);
}

/**
 * The text of an event that is changed: what is not ours to change stays as it is written, alarms and X- properties of other programs
 * among it.
 * @returns undefined where the text holds no event
 */
export function changedEventText(text: string, wished: EventState, writer: EventWriter): string | undefined {
  const calendar = partsOf(text);
  const master = masterOf(calendar);
  const known = readEventText(text, writer.timezone);
  if (!master || !known) return undefined;
  const moves = known.state?.start !== wished.start || known.state?.end !== wished.end;
  const lines = changedLines(master, wished, { ...writer, sequence: known.sequence + 1, moves });
  const parts = calendar.parts.map((part) => (part === master ? { ...part, lines } : part));
  return textOf({ head: calendar.head, parts: moves ? withZone(parts, wished, writer.timezone) : parts });
}

interface LineWriter extends EventWriter {
  sequence: number;
  moves: boolean;
}

/** Properties of an event that a change writes anew. */
const OURS: ReadonlySet<string> = new Set([
  'SUMMARY',
  'DESCRIPTION',
  'LOCATION',
  'SEQUENCE',
  'DTSTAMP',
  'LAST-MODIFIED',
  'ATTENDEE',
]);
const TIMES: ReadonlySet<string> = new Set(['DTSTART', 'DTEND', 'DURATION']);

function changedLines(master: CalendarPart, wished: EventState, writer: LineWriter): string[] {
  const own = ownLines(master);
  const gone = new Set(
    own.filter(({ line }) => OURS.has(line.name) || (writer.moves && TIMES.has(line.name))).map(({ at }) => at),
  );
  const invited = new Map(
    own.filter(({ line }) => line.name === 'ATTENDEE').map(({ at, line }) => [addressOf(line), at]),
  );
  const organized = own.some(({ line }) => line.name === 'ORGANIZER');
  const [begin = 'BEGIN:VEVENT', ...rest] = master.lines.filter((_line, at) => !gone.has(at));
  return [
    begin,
    `DTSTAMP:${utcStamp(writer.now)}`,
    `LAST-MODIFIED:${utcStamp(writer.now)}`,
    `SEQUENCE:${writer.sequence}`,
    ...(writer.moves ? timeLines(wished, writer.timezone) : []),
    ...textLine('SUMMARY', wished.summary),
    ...textLine('DESCRIPTION', wished.description),
    ...textLine('LOCATION', wished.location),
    ...(wished.attendees.length > 0 && !organized ? [organizerLine(writer)] : []),
    ...wished.attendees.map((one) => {
      const at = invited.get(one.email.toLowerCase());
      const line = at === undefined ? undefined : master.lines[at];
      if (line === undefined) return attendeeLine(one, writer);
      const told = writer.serverInvites ? line : withParam(line, 'SCHEDULE-AGENT', 'CLIENT');
      // Nobody has said yes to another time; the owner moved it.
      return writer.moves && !isSame(one.email, writer.organizer) ? answeredLine(told, 'needs_action') : told;
    }),
    ...rest,
  ];
}

/** The text with what an attendee said; undefined: they are not invited, or said so before. */
export function answeredEventText(text: string, email: string, answer: AttendeeAnswer): string | undefined {
  const calendar = partsOf(text);
  const master = masterOf(calendar);
  const own = master
    ? ownLines(master).find(({ line }) => line.name === 'ATTENDEE' && addressOf(line) === email)
    : undefined;
  if (!master || !own || (paramOf(own.line, 'PARTSTAT') ?? '').toUpperCase() === PARTSTAT[answer]) return undefined;
  const lines = master.lines.map((line, at) => (at === own.at ? answeredLine(line, answer) : line));
  return textOf({
    head: calendar.head,
    parts: calendar.parts.map((part) => (part === master ? { ...part, lines } : part)),
  });
}

/** An attendee's line with another answer; all else of it stays. */
function answeredLine(line: string, answer: AttendeeAnswer): string {
  return withParam(line, 'PARTSTAT', PARTSTAT[answer]);
}

/** What goes to attendees by mail (RFC 6047). @param attendees who is told; a cancellation names them alone */
export function invitationText(
  text: string,
  method: 'REQUEST' | 'CANCEL',
  attendees: readonly string[],
  { now, sequence }: { now: number; sequence: number },
): string {
  const calendar = partsOf(text);
  const parts = calendar.parts.flatMap((part) => {
    if (part.type === 'VTIMEZONE') return [part];
    if (part.type !== 'VEVENT') return [];
    return [{ type: part.type, lines: invitationLines(part, method, new Set(attendees), { now, sequence }) }];
  });
  return textOf({ head: ['VERSION:2.0', PRODID, `METHOD:${method}`], parts });
}

function invitationLines(
  part: CalendarPart,
  method: 'REQUEST' | 'CANCEL',
  told: ReadonlySet<string>,
  { now, sequence }: { now: number; sequence: number },
): string[] {
  const anew: ReadonlySet<string> = new Set(['DTSTAMP', 'SEQUENCE', ...(method === 'CANCEL' ? ['STATUS'] : [])]);
  const own = ownLines(part).flatMap(({ line, at }) => {
    if (anew.has(line.name) || (method === 'CANCEL' && line.name === 'ATTENDEE')) return [];
    return [withoutSchedule(part.lines[at] ?? '')];
  });
  return [
    'BEGIN:VEVENT',
    `DTSTAMP:${utcStamp(now)}`,
    `SEQUENCE:${sequence}`,
    ...(method === 'CANCEL' ? ['STATUS:CANCELLED'] : []),
    ...own,
    ...(method === 'CANCEL' ? [...told].map((email) => `ATTENDEE:mailto:${safeAddress(email)}`) : []),
    'END:VEVENT',
  ];
}

/** Words for a server, which nobody who is invited has to know. */
function withoutSchedule(line: string): string {
  if (!/^(?:ATTENDEE|ORGANIZER)[;:]/i.test(line)) return line;
  const words = ['SCHEDULE-AGENT', 'SCHEDULE-STATUS', 'SCHEDULE-FORCE-SEND'];
  return words.reduce((left, word) => withParam(left, word, null), line);
}

function textOf({ head, parts }: CalendarText): string {
  return textOfLines(['BEGIN:VCALENDAR', ...head, ...parts.flatMap(({ lines }) => lines), 'END:VCALENDAR']);
}

function withZone(parts: readonly CalendarPart[], { allDay, start }: EventState, timezone: string): CalendarPart[] {
  const known = parts.some((part) => part.type === 'VTIMEZONE' && part.lines.includes(`TZID:${timezone}`));
  if (allDay || known || timezone === 'UTC') return [...parts];
  return [{ type: 'VTIMEZONE', lines: zoneLines(timezone, start) }, ...parts];
}

function timeLines(event: EventTimes, timezone: string): string[] {
  return [
    `DTSTART${timeText(event.start, event.allDay, timezone)}`,
    `DTEND${timeText(event.end, event.allDay, timezone)}`,
  ];
}

function timeText(at: number, allDay: boolean, timezone: string): string {
  if (allDay) return `;VALUE=DATE:${wallStamp(at).slice(0, 8)}`;
  if (timezone === 'UTC') return `:${utcStamp(at)}`;
  return `;TZID=${paramValue(timezone)}:${wallStamp(at + zoneOffset(at, timezone))}`;
}

function textLine(name: string, text: string): string[] {
  return text === '' ? [] : [`${name}:${escapedText(text)}`];
}

function organizerLine({ organizer }: EventWriter): string {
  return `ORGANIZER:mailto:${safeAddress(organizer)}`;
}

/** Where the server sends none, it is told that we do: it may learn to, and nobody is invited twice. */
function attendeeLine({ email, name, answer }: CalendarAttendee, { serverInvites }: EventWriter): string {
  const agent = serverInvites ? '' : ';SCHEDULE-AGENT=CLIENT';
  const shown = name === undefined ? '' : `;CN=${paramValue(name)}`;
  return `ATTENDEE${shown};ROLE=REQ-PARTICIPANT;PARTSTAT=${PARTSTAT[answer]};RSVP=TRUE${agent}:mailto:${safeAddress(email)}`;
}

function safeAddress(address: string): string {
  return address.replace(/[\p{Cc}\s]/gu, '');
}
