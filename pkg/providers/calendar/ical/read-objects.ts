import { messageOf } from '../../../base/errors.ts';
import type { CalendarEvent } from '../../../domain/calendar/calendar-event.ts';
import { expandEvents } from '../../../domain/calendar/expand-events.ts';
import { EndlessSeries } from '../../../domain/calendar/expand-rule.ts';
import type { Instance, WrittenEvent } from '../../../domain/calendar/series.ts';
import type { Span } from '../../../domain/calendar/span.ts';
import { ianaZone, utcStamp } from '../../../domain/calendar/wall-time.ts';
import type { Places } from '../../../domain/calendar/written-time.ts';
import { type Component, readComponents, textOf } from './component.ts';
import { type About, readEvent } from './event-component.ts';
import { zoneByName } from './zone-names.ts';
import { zoneTable } from './zone-table.ts';

/** What the worker is asked. */
export interface IcalInput {
  objects: readonly string[];
  span: Span;
  /** IANA zone of the account: floating times are its, and dates where a calendar names no zone of its own. */
  zone: string;
  /** Addresses of the calendar's owner, lower case. */
  own: readonly string[];
}

/** Events that are read at most, and instances that are told. */
const MOST_EVENTS = 5_000;
const MOST_INSTANCES = 10_000;

/** One UID, and the clocks of the object that it stands in. */
interface Group {
  events: WrittenEvent<About>[];
  places: Places;
}

/** All events of calendar objects that have a moment in a span, in order. @throws Error with the event that can't be read */
export function readObjects({ objects, span, zone, own }: IcalInput): CalendarEvent[] {
  const groups = new Map<string, Group>();
  let count = 0;
  for (const calendar of objects.flatMap(readComponents)) {
    if (calendar.name !== 'vcalendar')
      throw new Error(`a ${calendar.name.slice(0, 40)} stands where a calendar should`);
    const zones = zoneTable(calendar, span);
    const places = placesOf(calendar, zone);
    for (const component of calendar.parts.filter(({ name }) => name === 'vevent')) {
      if (++count > MOST_EVENTS) throw new Error(`it holds more than ${MOST_EVENTS} events`);
      const event = named(component, () => readEvent(component, zones, places, own));
      // Without a UID nothing says what belongs together.
      const uid = event.uid === '' ? `without-uid-${count}` : event.uid;
      const group = groups.get(uid) ?? { events: [], places };
      group.events.push({ ...event, uid });
      groups.set(uid, group);
    }
  }
  const found = [...groups.values()].flatMap((group) => expand(group, span));
  if (found.length > MOST_INSTANCES) throw new Error(`more than ${MOST_INSTANCES} events lie in the time asked for`);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Days of dates are those of the calendar's zone where it names one. */
function placesOf(calendar: Component, zone: string): Places {
  const own = textOf(calendar, 'x-wr-timezone');
  return { days: ianaZone((own === '' ? null : zoneByName(own)) ?? zone), floating: ianaZone(zone) };
}

function expand({ events, places }: Group, span: Span): CalendarEvent[] {
  try {
    return expandEvents(events, span, places).map(eventOf);
  } catch (error) {
    const why = error instanceof EndlessSeries ? 'it repeats more often than is looked at' : messageOf(error);
    throw new Error(`the event "${events[0]?.about.title.slice(0, 100) ?? ''}": ${why}`);
  }
}

function eventOf({ event, start, end, allDay, original }: Instance<About>): CalendarEvent {
  const ofDates = event.replaces?.time.isDate ?? event.times.start.isDate;
  return {
    uid: event.uid,
    ...(original === null ? {} : { recurrenceId: stamp(original, ofDates) }),
    start,
    end,
    allDay,
    ...event.about,
  };
}

/** `20260203T080000Z`, of a date `20260203`. */
function stamp(at: number, isDate: boolean): string {
  return isDate ? utcStamp(at).slice(0, 8) : utcStamp(at);
}

function named<T>(component: Component, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`the event "${textOf(component, 'summary').slice(0, 100)}": ${messageOf(error)}`);
  }
}
