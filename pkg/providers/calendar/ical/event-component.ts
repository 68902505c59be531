import { usableText } from '../../../base/usable-text.ts';
import type { CalendarAttendee, CalendarEvent } from '../../../domain/calendar/calendar-event.ts';
import { answerOfPartstat } from '../../../domain/calendar/calendar-wish.ts';
import type { Times, WrittenEvent } from '../../../domain/calendar/series.ts';
import type { Places, WrittenTime } from '../../../domain/calendar/written-time.ts';
import { type Component, type Property, parameterOf, textOf } from './component.ts';
import { between, lengthOf, lengthOfDuration, ruleOf, timesOfProperty, type ZoneByName } from './read-times.ts';

/** What an event says beside its times. */
export type About = Omit<CalendarEvent, 'uid' | 'recurrenceId' | 'start' | 'end' | 'allDay'>;

const MOST_ATTENDEES = 200;
const TITLE = 500;
const TEXT = 5_000;
const ADDRESS = 320;

/** An event as it was written. @param own addresses of the calendar's owner, lower case. @throws Error for one whose times can't be read */
export function readEvent(
  component: Component,
  zones: ZoneByName,
  places: Places,
  own: readonly string[],
): WrittenEvent<About> {
  const times = readTimes(component, zones, places);
  const [replaced] = component.all('recurrence-id');
  const [time] = replaced ? timesOfProperty(replaced, zones) : [];
  const andLater = replaced ? parameterOf(replaced, 'range').toUpperCase() === 'THISANDFUTURE' : false;
  return {
    uid: usableText(textOf(component, 'uid'), TITLE),
    sequence: Number(component.all('sequence')[0]?.values[0] ?? 0) || 0,
    times,
    replaces: time ? { time, andLater } : null,
    about: readAbout(component, own),
  };
}

function readTimes(component: Component, zones: ZoneByName, places: Places): Times {
  const [begin] = component.all('dtstart');
  const [start] = begin ? timesOfProperty(begin, zones) : [];
  if (!start) throw new Error('it begins at no time');
  // What replaces one instance of a series is no series.
  const isSeries = component.all('recurrence-id').length === 0;
  const of = (name: string): readonly Property[] => (isSeries ? component.all(name) : []);
  return {
    start,
    length: lengthOf(component, start, zones, places),
    rules: of('rrule').flatMap(({ values }) => values.map(ruleOf)),
    extra: of('rdate').flatMap((property) => extraTimes(property, zones, places)),
    except: of('exdate').flatMap((property) => timesOfProperty(withoutEmpty(property), zones)),
  };
}

/** Some programs leave an EXDATE without a value. */
function withoutEmpty(property: Property): Property {
  return {
    ...property,
    values: property.values.filter((value) => value !== '--T::' && value !== '' && value !== '--'),
  };
}

/** RDATE: times, or periods with an end or a duration of their own. */
function extraTimes(property: Property, zones: ZoneByName, places: Places): Times['extra'] {
  if (property.type !== 'period') {
    return timesOfProperty(withoutEmpty(property), zones).map((start: WrittenTime) => ({ start, length: null }));
  }
  return property.values.map((value) => {
    const [from, to] = Array.isArray(value) ? (value as unknown[]) : [];
    const [start] = timesOfProperty({ ...property, values: [from] }, zones);
    if (!start) throw new Error('a period begins at no time');
    if (/^\+?P/.test(String(to))) return { start, length: lengthOfDuration(to) };
    return { start, length: between(start, timesOfProperty({ ...property, values: [to] }, zones)[0], places) };
  });
}

const STATUS: Readonly<Record<string, About['status']>> = { CANCELLED: 'cancelled', TENTATIVE: 'tentative' };

function readAbout(component: Component, own: readonly string[]): About {
  const attendees = component.all('attendee').slice(0, MOST_ATTENDEES).map(attendeeOf);
  const said = (name: string, most: number): string => usableText(textOf(component, name), most);
  const optional = {
    location: said('location', TITLE),
    description: said('description', TEXT),
    url: said('url', TEXT),
  };
  const organizer = component.all('organizer').map(addressOf)[0];
  const answer = component
    .all('attendee')
    .map(attendeeOf)
    .find(({ email }) => own.includes(email))?.answer;
  return {
    title: said('summary', TITLE),
    status: STATUS[textOf(component, 'status').toUpperCase()] ?? 'confirmed',
    transparent: textOf(component, 'transp').toUpperCase() === 'TRANSPARENT',
    ...Object.fromEntries(Object.entries(optional).filter(([, text]) => text !== '')),
    ...(organizer ? { organizer } : {}),
    attendees,
    ...(answer ? { own: answer } : {}),
  };
}

function attendeeOf(property: Property): CalendarAttendee {
  const name = usableText(parameterOf(property, 'cn'), ADDRESS);
  return {
    email: addressOf(property),
    ...(name === '' ? {} : { name }),
    answer: answerOfPartstat(parameterOf(property, 'partstat')),
  };
}

/** Some servers name their users by addresses of their own, and the mail address beside. */
function addressOf(property: Property): string {
  const given = String(property.values[0] ?? '').trim();
  const address = /^mailto:/i.test(given) ? given.slice('mailto:'.length) : parameterOf(property, 'email') || given;
  return usableText(address.trim().toLowerCase(), ADDRESS);
}
