import type { AttendeeAnswer } from '../../../domain/calendar/calendar-event.ts';
import { attendeeOf, instantOfLine, masterOf, ownLines, partsOf } from './event-text.ts';

/** What somebody says to an invitation. */
export interface CalendarReply {
  uid: string;
  /** Lower case. */
  email: string;
  answer: AttendeeAnswer;
  /** Of the invitation that it answers: each change of an event raises it. */
  sequence: number;
  /** When it was said (epoch ms); null: it does not say. */
  saidAt: number | null;
}

/** Reads a reply (RFC 5546 section 3.2.3); null: it is another message, of a single instance, or names not just one attendee. */
export function readReply(text: string): CalendarReply | null {
  const calendar = partsOf(text);
  if (!calendar.head.some((line) => /^METHOD:REPLY\s*$/i.test(line))) return null;
  const master = masterOf(calendar);
  const lines = master ? ownLines(master).map(({ line }) => line) : [];
  const attendees = lines.filter(({ name }) => name === 'ATTENDEE');
  const uid = lines.find(({ name }) => name === 'UID')?.value.trim() ?? '';
  const [attendee] = attendees;
  if (!attendee || attendees.length !== 1 || uid === '' || lines.some(({ name }) => name === 'RECURRENCE-ID'))
    return null;
  const { email, answer } = attendeeOf(attendee);
  const sequence = Number(lines.find(({ name }) => name === 'SEQUENCE')?.value.trim() ?? 0);
  const stamp = lines.find(({ name }) => name === 'DTSTAMP');
  const saidAt = stamp ? instantOfLine(stamp, 'UTC') : Number.NaN;
  return {
    uid: uid.slice(0, 1_000),
    email,
    answer,
    sequence: Number.isSafeInteger(sequence) ? sequence : 0,
    saidAt: Number.isSafeInteger(saidAt) ? saidAt : null,
  };
}
