import { expandRule } from '../../../domain/calendar/expand-rule.ts';
import type { Rule } from '../../../domain/calendar/series.ts';
import type { Span } from '../../../domain/calendar/span.ts';
import { ianaZone, UTC, type Zone } from '../../../domain/calendar/wall-time.ts';
import { type Component, textOf } from './component.ts';
import { ruleOf, timesOfProperty, type ZoneByName } from './read-times.ts';
import { zoneByName } from './zone-names.ts';

const YEAR_MS = 366 * 86_400_000;
/** Years before the span in which changes of a zone of one's own are looked at. */
const YEARS_BEFORE = 20;

/**
 * What the TZIDs of a calendar mean. A name that the zone database knows (or Windows) means that zone, whatever the calendar says of it:
 * what calendars carry is often cut or old. Any other name means what the calendar's own VTIMEZONE says.
 */
export function zoneTable(calendar: Component, span: Span): ZoneByName {
  const known = new Map<string, Zone>();
  return (tzid) => {
    const zone = known.get(tzid) ?? zoneOf(tzid, calendar, span);
    known.set(tzid, zone);
    return zone;
  };
}

function zoneOf(tzid: string, calendar: Component, span: Span): Zone {
  const own = calendar.parts.find((part) => part.name === 'vtimezone' && textOf(part, 'tzid') === tzid);
  const name = zoneByName(tzid) ?? (own ? zoneByName(textOf(own, 'x-lic-location')) : null);
  if (name !== null) return ianaZone(name);
  if (own) return ownZone(own, span);
  throw new Error(`it names the time zone "${tzid.slice(0, 100)}", which nobody knows`);
}

/** A moment at which a zone's clocks are changed, and what they show then. */
interface Change {
  at: number;
  from: number;
  to: number;
}

/** A zone by the rules that a calendar gives for it. @throws Error for one without rules */
function ownZone(own: Component, span: Span): Zone {
  const within = { start: span.start - YEARS_BEFORE * YEAR_MS, end: span.end + 2 * YEAR_MS };
  const observances = own.parts.filter(({ name }) => name === 'standard' || name === 'daylight');
  const changes = observances.flatMap((part) => changesOf(part, within)).sort((a, b) => a.at - b.at);
  const [first] = changes;
  if (!first) throw new Error('a time zone of its own has no rules');
  return {
    offsetAt: (at) => (changes.findLast((change) => change.at <= at) ?? { to: first.from }).to,
  };
}

/** The changes of one observance within a span, and its first one. */
function changesOf(part: Component, within: Span): Change[] {
  const from = offsetOf(textOf(part, 'tzoffsetfrom'));
  const to = offsetOf(textOf(part, 'tzoffsetto'));
  const before: Zone = { offsetAt: () => from };
  const zones: ZoneByName = () => UTC;
  const [begin] = part.all('dtstart').flatMap((property) => timesOfProperty(property, zones));
  if (!begin) throw new Error('a time zone of its own begins at no time');
  const start = { ...begin, isDate: false, zone: before };
  const places = { days: before, floating: before };
  const rules: Rule[] = part.all('rrule').flatMap(({ values }) => values.map(ruleOf));
  const walls = [
    start.wall,
    ...rules.flatMap((rule) => expandRule(rule, start, within, places)),
    ...part.all('rdate').flatMap((property) => timesOfProperty(property, zones).map(({ wall }) => wall)),
  ];
  return walls.map((wall) => ({ at: wall - from, from, to }));
}

/** `+0100`, `-033000`, as the library writes it with colons. @throws Error */
function offsetOf(text: string): number {
  const parts = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text);
  if (!parts) throw new Error(`"${text.slice(0, 20)}" is no offset from UTC`);
  const [, sign, hours, minutes, seconds = '0'] = parts;
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}
