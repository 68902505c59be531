import { isTimezone } from '../local-time.ts';
import { bareCell, type Reading, read, unread } from './reading.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

/** IANA names by their lower-case form; aliases such as `Asia/Kolkata` are there by asking. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Intl.supportedValuesOf('timeZone').map((name) => [name.toLowerCase(), name]),
);
const WINDOWS: ReadonlyMap<string, string> = new Map(
  Object.entries(WINDOWS_ZONES).flatMap(([zone, names]) =>
    names.split('; ').map((name) => [name.toLowerCase(), zone] as const),
  ),
);
const UNIVERSAL = /^(?:utc|gmt|z|zulu|etc\/(?:utc|gmt|uct|zulu)|coordinated universal time)$/i;

/**
 * Reads a time zone: an IANA name, one of Windows, or either in the words that a CRM puts around it (`(GMT-05:00) Eastern Standard
 * Time (America/New_York)`, `america_slash_new_york`). An abbreviation is none: IST is India, Israel and Ireland, BST is London and
 * Dhaka. Neither is an offset, which has no summer.
 */
export function readTimezone(text: string): Reading<string> {
  const cell = bareCell(text).replace(/\s+/g, ' ');
  const zone = zoneNamed(cell) ?? zoneInside(cell);
  if (zone !== null) return read(zone);
  const why = /^[A-Z]{2,5}$/i.test(cell)
    ? 'stands for several time zones'
    : /^(?:utc|gmt)?\s*[+-]?\d/i.test(cell)
      ? 'is an offset, which has no summer time'
      : 'is no time zone';
  return unread(`${why}: give an IANA name such as Europe/Berlin`);
}

function zoneNamed(name: string): string | null {
  if (UNIVERSAL.test(name)) return 'UTC';
  const plain = name
    .replace(/_slash_/gi, '/')
    .replace(/ ?\/ ?/g, '/')
    .replace(/ /g, '_');
  const known = NAMES.get(plain.toLowerCase());
  if (known !== undefined) return known;
  const windows = WINDOWS.get(
    name.toLowerCase().replace('daylight', 'standard').replace('summer time', 'standard time'),
  );
  if (windows !== undefined) return windows;
  if (!/^[a-z]{4,}(?:[/_-][a-z]+)+$/i.test(plain) && !/^(?:[A-Z][a-z]{3,}|[ECMP]ST\d[ECMP]DT)$/.test(plain))
    return null;
  if (/^(?:etc|systemv|posix|right)\//i.test(plain) || !isTimezone(plain)) return null;
  return plain.split('/').map(inItsCase).join('/');
}

/** `america/port_of_spain` as the table of zones writes it. */
function inItsCase(part: string): string {
  if (/^[ECMP]ST\dE?/.test(part)) return part;
  const words = part.toLowerCase().replace(/(?<=^|[_-])[a-z]/g, (letter) => letter.toUpperCase());
  return words.replace(/(?<=_)(?:Of|Es)(?=_)/g, (word) => word.toLowerCase());
}

function zoneInside(cell: string): string | null {
  const inBrackets = [...cell.matchAll(/\(([^()]+)\)/g)].map((match) => zoneNamed((match[1] ?? '').trim()));
  const found = inBrackets.find((zone) => zone !== null && zone !== 'UTC');
  if (found) return found;
  const behind = cell.replace(/^\(?(?:utc|gmt)\s*[+-]?[\d:]*\)?\s*/i, '').replace(/ ?\([^()]*\/[^()]*\)$/, '');
  if (behind === cell || behind === '') return null;
  const [first = ''] = behind.split(/,| - /).map((part) => part.trim());
  return zoneNamed(behind) ?? zoneNamed(first) ?? zoneOfCity(first);
}

/** `Amsterdam, Berlin, Bern`: a city that a zone has its name from, where only one has. */
export function zoneOfCity(city: string): string | null {
  const end = `/${city.toLowerCase().replace(/ /g, '_')}`;
  const zones = [...NAMES].filter(([name]) => name.endsWith(end));
  return zones.length === 1 && end.length > 3 ? (zones[0]?.[1] ?? null) : null;
}
