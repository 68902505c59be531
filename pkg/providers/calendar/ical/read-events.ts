import { messageOf } from '../../../base/errors.ts';
import { ForeignBusy } from '../../../base/foreign-bytes/overrun.ts';
import { ParsePool } from '../../../base/foreign-bytes/parse-pool.ts';
import { workerFile } from '../../../base/foreign-bytes/worker-file.ts';
import { usableText } from '../../../base/usable-text.ts';
import type { CalendarEvent } from '../../../domain/calendar/calendar-event.ts';
import type { Span } from '../../../domain/calendar/span.ts';
import { CallError } from '../../call-error.ts';
import { UnreadableCalendar } from '../unreadable-calendar.ts';
import type { IcalInput } from './read-objects.ts';

/** A calendar of a thousand series takes some hundred ms; its worker about 60 MB. */
const LIMITS = { workers: 2, heapMb: 96, withinMs: 5_000, queued: 64, queuedOfOne: 8 };
/** Characters and lines that are read of all objects together, since the parser pays for each line. */
const MOST_TEXT = 4 * 1024 * 1024;
const MOST_LINES = 100_000;
const SHOWN = 400;

let shared: ParsePool | undefined;

/**
 * The events of iCalendar objects (RFC 5545) that have a moment in a span, each instance of a series by itself, in order; cancelled ones
 * and such that take no time are told too. They are read in a worker with limits of memory and time.
 * @param zone IANA zone of the account: its clocks are those of floating times and, where a calendar names no zone, of dates
 * @param own addresses of the calendar's owner
 * @param tenant whose calendar it is: they take turns
 * @throws UnreadableCalendar where one event can't be read: nobody knows then when its owner is free. CallError `busy`
 */
export async function readIcalEvents(
  objects: readonly string[],
  span: Span,
  zone: string,
  own: readonly string[],
  tenant = 'calendar',
): Promise<CalendarEvent[]> {
  requireSize(objects);
  shared ??= new ParsePool(workerFile('ical-worker', import.meta.url), LIMITS);
  const input: IcalInput = { objects, span, zone, own: own.map((address) => address.toLowerCase()) };
  try {
    return await shared.parse<CalendarEvent[]>(tenant, input);
  } catch (error) {
    if (error instanceof ForeignBusy) throw new CallError('busy', error.message);
    throw new UnreadableCalendar(usableText(messageOf(error), SHOWN));
  }
}

function requireSize(objects: readonly string[]): void {
  let [text, lines] = [0, 0];
  for (const object of objects) {
    text += object.length;
    if (text > MOST_TEXT) throw new UnreadableCalendar(`it has more than ${MOST_TEXT} characters`);
    for (let at = object.indexOf('\n'); at >= 0; at = object.indexOf('\n', at + 1)) lines++;
    if (lines > MOST_LINES) throw new UnreadableCalendar(`it has more than ${MOST_LINES} lines`);
  }
}
