import { findIana } from 'windows-iana';
import { isNamedTimezone, isTimezone, zoneOffset } from '../../../domain/local-time.ts';

/** Names of the zone database that the house does not take from people, since databases read them otherwise. */
const OF_THE_DATABASE = /^(?:cet|eet|met|wet)$/i;
/** Display names of Windows that name no city. */
const REGIONS: Readonly<Record<string, string>> = {
  'atlantic time (canada)': 'America/Halifax',
  'eastern time (us & canada)': 'America/New_York',
  'central time (us & canada)': 'America/Chicago',
  'mountain time (us & canada)': 'America/Denver',
  'pacific time (us & canada)': 'America/Los_Angeles',
  arizona: 'America/Phoenix',
  'indiana (east)': 'America/Indiana/Indianapolis',
  alaska: 'America/Anchorage',
  hawaii: 'Pacific/Honolulu',
  'west central africa': 'Africa/Lagos',
  'chennai, kolkata, mumbai, new delhi': 'Asia/Kolkata',
  'coordinated universal time': 'Etc/UTC',
};
/** January 2026: no zone of the northern half has summer. */
const WINTER = Date.UTC(2026, 0, 15);
const SUMMER = Date.UTC(2026, 6, 15);
const MINUTE_MS = 60_000;

/**
 * The IANA zone that a name of a calendar means; null: nobody knows. Taken are the names of the database, also behind the path that some
 * programs write before them, those of Windows, and the names that Windows shows to people.
 */
export function zoneByName(given: string): string | null {
  const name = given.trim().replace(/^"|"$/g, '');
  return ianaName(name) ?? windowsName(name) ?? displayedName(name);
}

function ianaName(name: string): string | null {
  if (isNamedTimezone(name) || (OF_THE_DATABASE.test(name) && isTimezone(name))) return name;
  const steps = name.split('/');
  for (let kept = Math.min(3, steps.length - 1); kept >= 2; kept--) {
    const tail = steps.slice(-kept).join('/');
    if (isNamedTimezone(tail)) return tail;
  }
  return null;
}

function windowsName(name: string): string | null {
  // The package's type lists the names that it knows; it answers with nothing for others.
  const [first] = findIana(name as Parameters<typeof findIana>[0]);
  return first ?? null;
}

/** `(UTC+01:00) Amsterdam, Berlin, Bern`: the zone of the first of these cities that has this offset. */
function displayedName(name: string): string | null {
  const parts = /^\((?:UTC|GMT)(?:([+-])(\d\d):(\d\d))?\)\s*(.+)$/i.exec(name);
  if (!parts) return null;
  const [, sign, hours = '0', minutes = '0', places = ''] = parts;
  const region = REGIONS[places.toLowerCase()];
  if (region !== undefined) return region;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  for (const city of places.split(',')) {
    const found = cities().get(folded(city.replace(/^.*:/, '')));
    const zone = found?.find((one) => [WINTER, SUMMER].some((at) => zoneOffset(at, one) === offset));
    if (zone !== undefined) return zone;
  }
  return null;
}

let byCity: Map<string, string[]> | undefined;

function cities(): Map<string, string[]> {
  if (byCity) return byCity;
  byCity = new Map();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const city = folded(zone.split('/').at(-1) ?? '');
    byCity.set(city, [...(byCity.get(city) ?? []), zone]);
  }
  return byCity;
}

function folded(city: string): string {
  return city.toLowerCase().replace(/[^a-z]/g, '');
}
