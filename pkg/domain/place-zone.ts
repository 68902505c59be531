import { foldings } from './fold-text.ts';
import { readCountry } from './identity/country.ts';

/** Zones of states and provinces of one zone, by country: `NAME, ABBREVIATION` in small letters. Source: tz database. */
const STATES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  US: {
    'America/New_York': `connecticut ct|delaware de|georgia ga|maine me|maryland md|massachusetts ma|new_hampshire nh|new_jersey nj|new_york ny|
      north_carolina nc|ohio oh|pennsylvania pa|rhode_island ri|south_carolina sc|vermont vt|virginia va|west_virginia wv|district_of_columbia dc`,
    'America/Chicago': `alabama al|arkansas ar|illinois il|iowa ia|louisiana la|minnesota mn|mississippi ms|missouri mo|oklahoma ok|wisconsin wi`,
    'America/Denver': 'colorado co|montana mt|new_mexico nm|utah ut|wyoming wy',
    'America/Phoenix': 'arizona az',
    'America/Los_Angeles': 'california ca|washington wa',
    'Pacific/Honolulu': 'hawaii hi',
  },
  CA: {
    'America/Edmonton': 'alberta ab',
    'America/Winnipeg': 'manitoba mb',
    'America/Halifax': 'new_brunswick nb|nova_scotia ns|prince_edward_island pe',
  },
  AU: {
    'Australia/Melbourne': 'victoria vic',
    'Australia/Brisbane': 'queensland qld',
    'Australia/Perth': 'western_australia wa',
    'Australia/Adelaide': 'south_australia sa',
    'Australia/Hobart': 'tasmania tas',
    'Australia/Sydney': 'new_south_wales nsw|australian_capital_territory act',
  },
};
/** States of America with two zones: they name the country, and no zone. */
const OF_TWO_ZONES = /^(?:TX|FL|MI|IN|KY|TN|KS|NE|ND|SD|OR|ID|AK|NV)$/;
/** Large cities of countries of several zones after which no zone is named. */
const CITIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  US: {
    'America/New_York':
      'boston|philadelphia|atlanta|miami|charlotte|brooklyn|pittsburgh|cleveland|baltimore|tampa|orlando|raleigh',
    'America/Chicago': 'houston|dallas|austin|san antonio|minneapolis|new orleans|st louis|milwaukee',
    'America/Denver': 'salt lake city|boulder|albuquerque',
    'America/Los_Angeles':
      'san francisco|san diego|san jose|seattle|portland|sacramento|las vegas|oakland|palo alto|san francisco bay area',
  },
  CA: { 'America/Toronto': 'ottawa|montreal|mississauga|quebec', 'America/Edmonton': 'calgary' },
  AU: { 'Australia/Sydney': 'canberra|newcastle', 'Australia/Brisbane': 'gold coast' },
  BR: { 'America/Sao_Paulo': 'rio de janeiro|brasilia|belo horizonte|curitiba|porto alegre|campinas' },
  RU: { 'Europe/Moscow': 'saint petersburg|st petersburg|sankt petersburg' },
};
/** Countries with a zone of the mainland, and where it does not hold. */
const MAINLAND: Readonly<Record<string, readonly [zone: string, but: RegExp]>> = {
  ES: ['Europe/Madrid', /canar|tenerife|las palmas|lanzarote|fuerteventura/],
  PT: ['Europe/Lisbon', /azor|acor|ponta delgada/],
  CN: ['Asia/Shanghai', /xinjiang|urumqi|kashgar/],
  NZ: ['Pacific/Auckland', /chatham/],
  CL: ['America/Santiago', /easter|pascua|magallanes|punta arenas/],
  UA: ['Europe/Kyiv', /crimea|krym|simferopol/],
};
const MOST_KEPT = 5_000;
const kept = new Map<string, string | null>();

/** What a lead's record says of where the person is. */
export interface Whereabouts {
  /** IANA name that somebody told; null: nobody did. */
  timezone: string | null;
  location: string;
  country: string;
}

/** The zone of a lead: one that was told wins over that of the place. */
export function zoneOf({ timezone, location, country }: Whereabouts): string | null {
  return timezone ?? zoneOfPlace(location, country);
}

/**
 * The time zone of a place where only one can be meant: of a country with one, of a city after which a zone of its country is named, of a
 * state with one. It stands in for a zone that nobody told.
 * @param location as people write it: `Lyon`, `Austin, TX`, `Berlin, Germany`
 * @param country in any way `readCountry` knows; '' where the location says it, or nobody
 * @returns IANA name, or null
 */
export function zoneOfPlace(location: string, country: string): string | null {
  if (location === '' && country === '') return null;
  const key = `${country}\n${location}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const zone = derived(location, country);
  kept.set(key, zone);
  return zone;
}

function derived(location: string, country: string): string | null {
  const parts = location
    .split(/[,;/|]| - /)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const code = country === '' ? countryIn(parts) : readCountry(country).value;
  if (code === null) return null;
  const words = parts.map((part) => (foldings(part)[0] ?? '').replace(/\./g, ''));
  const zones = zonesOf(code);
  return (
    zones.find((zone) => words[0] !== undefined && cityOf(zone) === words[0]) ??
    listed(STATES[code], words.slice(words.length > 1 ? 1 : 0), /[| ]/) ??
    listed(CITIES[code], words.slice(0, 1), /\|/) ??
    mainland(code, words) ??
    sameClock(zones)
  );
}

/** The last part names a country, unless two letters are a state of America as well: `Dover, DE` is not in Germany. */
function countryIn(parts: readonly string[]): string | null {
  const last = parts.at(-1);
  if (last === undefined) return null;
  const named = OF_TWO_ZONES.test(last) || listed(STATES['US'], [last.toLowerCase()], /[| ]/) !== null;
  const state = parts.length > 1 && /^[A-Z]{2}$/.test(last) && named;
  const country = readCountry(last).value;
  if (state) return country === null ? 'US' : null;
  return country;
}

function listed(
  table: Readonly<Record<string, string>> | undefined,
  words: readonly string[],
  between: RegExp,
): string | null {
  for (const [zone, names] of Object.entries(table ?? {})) {
    const all = names.split(between).map((name) => name.trim().replaceAll('_', ' '));
    if (words.some((word) => all.includes(word))) return zone;
  }
  return null;
}

function mainland(code: string, words: readonly string[]): string | null {
  const [zone, but] = MAINLAND[code] ?? [];
  return zone === undefined || but?.test(words.join(' ')) ? null : zone;
}

function cityOf(zone: string): string {
  return (zone.split('/').at(-1) ?? '').replaceAll('_', ' ').toLowerCase();
}

/** Zones of a country, as the table of the machine has them. */
function zonesOf(code: string): readonly string[] {
  const locale = new Intl.Locale(`und-${code}`) as Intl.Locale & { getTimeZones?: () => string[] | undefined };
  return locale.getTimeZones?.() ?? [];
}

/** A day of winter and one of summer. */
const DAYS = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/** The first of zones that show the same time all year. */
function sameClock(zones: readonly string[]): string | null {
  const clock = (zone: string): string =>
    DAYS.map((day) => new Date(day).toLocaleString('sv-SE', { timeZone: zone })).join();
  const [first, ...more] = zones;
  if (first === undefined) return null;
  const shown = clock(first);
  return more.every((zone) => clock(zone) === shown) ? first : null;
}
