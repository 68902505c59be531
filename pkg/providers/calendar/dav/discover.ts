import { elementsOf, textIn } from '../../../base/read-xml.ts';
import { CallError } from '../../call-error.ts';
import {
  CALDAV,
  DAV,
  type DavAccess,
  type DavResource,
  davAnswer,
  davExchange,
  resourcesOf,
  sameServer,
} from './dav-request.ts';
import { readEventZone } from './read-zone.ts';

/** A calendar as its server describes it. */
export interface FoundCalendar {
  url: string;
  /** '': it has none. */
  name: string;
  /** IANA name; null: the server does not say. */
  timezone: string | null;
  /** Addresses of its owner, lower case, the preferred first. */
  addresses: readonly string[];
  /** The server sends invitations by itself (RFC 6638). */
  serverInvites: boolean;
}

const PROPERTIES = `<d:prop><d:resourcetype/><d:displayname/><d:current-user-principal/><d:owner/><c:calendar-home-set/><c:calendar-user-address-set/><c:schedule-default-calendar-URL/><c:schedule-inbox-URL/><c:calendar-timezone/><c:supported-calendar-component-set/></d:prop>`;

/** Redirects that are followed, on the same server. */
const MOST_REDIRECTS = 3;

/**
 * The calendar behind an address: itself where it is one, else the first of the user's own that takes events (RFC 6764: principal, home,
 * collections). @throws CallError
 */
export async function findCalendar(access: DavAccess, address: string, signal: AbortSignal): Promise<FoundCalendar> {
  const start = await startOf(access, address, signal);
  const [own] = start.resources;
  const principalUrl = hrefIn(own, 'current-user-principal', start.url) ?? start.url;
  const [principal] = await describe(access, principalUrl, '0', signal);
  const collection = isCalendar(own)
    ? { url: start.url, resource: own }
    : await firstCalendar(access, principal, principalUrl, signal);
  const { dav = '' } = await davExchange(access, { method: 'OPTIONS', url: collection.url, harmless: true }, signal);
  return {
    url: collection.url,
    name: (collection.resource && textIn(collection.resource.properties, `${DAV}|displayname`)) ?? '',
    timezone: readEventZone(
      (collection.resource && textIn(collection.resource.properties, `${CALDAV}|calendar-timezone`)) ?? '',
    ),
    addresses: addressesOf(principal),
    serverInvites: dav.split(/\s*,\s*/).includes('calendar-auto-schedule'),
  };
}

interface Described {
  url: string;
  resources: DavResource[];
}

/** The address itself, or where the server says that calendars are. */
async function startOf(access: DavAccess, address: string, signal: AbortSignal): Promise<Described> {
  let failed: unknown;
  for (const at of [address, new URL('/.well-known/caldav', address).href]) {
    try {
      const found = await followed(access, at, signal);
      if (found.resources.length > 0) return found;
    } catch (error) {
      if (!(error instanceof CallError) || error.kind !== 'refused') throw error;
      failed ??= error;
    }
  }
  throw failed ?? new CallError('refused', 'there is no calendar at this address');
}

async function followed(access: DavAccess, address: string, signal: AbortSignal): Promise<Described> {
  let url = address;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const answer = await davAnswer(access, propfind(url, '0'), signal, [301, 302, 307, 308]);
    if (answer.status < 300) return { url, resources: resourcesOf(answer.text) };
    url = sameServer(url, answer.location ?? url);
  }
  throw new CallError('refused', 'the address leads from one to the next');
}

async function firstCalendar(
  access: DavAccess,
  principal: DavResource | undefined,
  principalUrl: string,
  signal: AbortSignal,
): Promise<{ url: string; resource: DavResource | undefined }> {
  const home = hrefIn(principal, 'calendar-home-set', principalUrl, CALDAV);
  if (home === undefined)
    throw new CallError('refused', 'the server names no calendars of this user; give the address of one');
  const calendars = (await describe(access, home, '1', signal)).filter((one) => isCalendar(one) && takesEvents(one));
  const usual = hrefIn(principal, 'schedule-default-calendar-URL', principalUrl, CALDAV);
  const urlOf = ({ href }: DavResource): string => sameServer(home, href);
  const chosen = calendars.find((one) => urlOf(one) === usual) ?? calendars[0];
  if (!chosen) throw new CallError('refused', 'the user has no calendar that takes events');
  return { url: urlOf(chosen), resource: chosen };
}

async function describe(access: DavAccess, url: string, depth: '0' | '1', signal: AbortSignal): Promise<DavResource[]> {
  return resourcesOf((await davAnswer(access, propfind(url, depth), signal)).text);
}

function propfind(url: string, depth: '0' | '1') {
  const body = `<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:" xmlns:c="${CALDAV}">${PROPERTIES}</d:propfind>`;
  return { method: 'PROPFIND', url, headers: { depth }, body, harmless: true } as const;
}

function hrefIn(resource: DavResource | undefined, name: string, base: string, space = DAV): string | undefined {
  const property = resource?.properties.children.find((one) => one.name === `${space}|${name}`);
  const href = property && textIn(property, `${DAV}|href`);
  return href ? sameServer(base, href) : undefined;
}

function isCalendar(resource: DavResource | undefined): boolean {
  const types = resource?.properties.children.find(({ name }) => name === `${DAV}|resourcetype`);
  return types?.children.some(({ name }) => name === `${CALDAV}|calendar`) ?? false;
}

function takesEvents({ properties }: DavResource): boolean {
  const kinds = elementsOf(properties, `${CALDAV}|comp`).map(({ attributes }) => attributes['name']?.toUpperCase());
  return kinds.length === 0 || kinds.includes('VEVENT');
}

function addressesOf(principal: DavResource | undefined): string[] {
  const set = principal?.properties.children.find(({ name }) => name === `${CALDAV}|calendar-user-address-set`);
  return (set?.children ?? [])
    .toSorted((a, b) => Number(b.attributes['preferred'] ?? 0) - Number(a.attributes['preferred'] ?? 0))
    .map(({ text }) => text.trim())
    .filter((text) => /^mailto:/i.test(text))
    .map((text) => text.slice('mailto:'.length).toLowerCase());
}
