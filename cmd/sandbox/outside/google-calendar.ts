import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { change, keep, kept, note } from './book.ts';

/** Whose calendar it is. */
export const SANDBOX_GOOGLE_ADDRESS = 'ada@sandbox.example';
const ZONE = 'Europe/Berlin';
const OWN_ID = /^[a-v0-9]{5,1024}$/;

const time = z.object({
  date: z.string().nullish(),
  dateTime: z.string().nullish(),
  timeZone: z.string().nullish(),
});
type Time = z.infer<typeof time>;
const attendee = z.looseObject({ email: z.string(), responseStatus: z.string().default('needsAction') });
const written = z.object({
  summary: z.string().optional(),
  description: z.string().optional(),
  location: z.string().optional(),
  start: time.optional(),
  end: time.optional(),
  attendees: z.array(attendee).optional(),
});
const inserted = written.extend({ id: z.string().regex(OWN_ID).optional(), start: time, end: time });

interface Stored extends z.infer<typeof inserted> {
  id: string;
  status: 'confirmed' | 'cancelled';
  version: number;
  sequence: number;
}
type Row = { id: number; event: Stored };

/** `/calendars/{id}` and `/calendars/{id}/events` of the API of Google Calendar, version 3. */
export function googleCalendar(world: World, call: Call): Reply {
  const [room, calendarId = '', events, eventId] = call.path.slice(2);
  if (room !== 'calendars' || !['primary', SANDBOX_GOOGLE_ADDRESS].includes(calendarId)) throw missing();
  if (events === undefined && call.method === 'GET')
    return { status: 200, body: { kind: 'calendar#calendar', id: SANDBOX_GOOGLE_ADDRESS, timeZone: ZONE } };
  if (events !== 'events') throw missing();
  if (eventId === undefined) return call.method === 'POST' ? insert(world, call) : list(world, call);
  const row = rowsOf(world).find(({ event }) => event.id === eventId);
  if (!row) throw missing();
  switch (call.method) {
    case 'GET':
      return { status: 200, body: shown(row.event) };
    case 'PATCH':
      return patch(world, call, row);
    case 'DELETE':
      return remove(world, call, row);
    default:
      throw new Refusal(405, 'method_not_allowed', 'not possible here');
  }
}

function rowsOf({ store }: World): Row[] {
  return kept<{ event: Stored }>(store, 'google', 'event');
}

function insert(world: World, call: Call): Reply {
  const given = inserted.parse(call.body);
  const rows = rowsOf(world);
  const id = given.id ?? `sandbox${rows.length}00000`;
  if (rows.some(({ event }) => event.id === id))
    throw new Refusal(409, 'duplicate', 'The requested identifier already exists.');
  const times = { start: merged({}, given.start), end: merged({}, given.end) };
  const event: Stored = { ...given, ...times, id, status: 'confirmed', version: 1, sequence: 0 };
  keep(world.store, 'google', 'event', { event });
  tell(world, call, 'invitation', event, event);
  return { status: 200, body: shown(event) };
}

function patch(world: World, call: Call, { id, event }: Row): Reply {
  requireVersion(call, event);
  if (event.status === 'cancelled') throw missing();
  const given = written.parse(call.body);
  const changed: Stored = {
    ...event,
    ...given,
    start: merged(event.start, given.start),
    end: merged(event.end, given.end),
    version: event.version + 1,
    sequence: event.sequence + 1,
  };
  change(world.store, id, { event: changed });
  tell(world, call, 'update', changed, event);
  return { status: 200, body: shown(changed) };
}

/** A patch names what of a time changes; null takes it away. */
function merged(known: Time, given: Time | undefined): Time {
  const all = { ...known, ...given };
  if (Boolean(all.date) === Boolean(all.dateTime)) throw new Refusal(400, 'invalid', 'Invalid start or end time.');
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

function remove(world: World, call: Call, { id, event }: Row): Reply {
  if (event.status === 'cancelled') throw new Refusal(410, 'deleted', 'Resource has been deleted');
  requireVersion(call, event);
  change(world.store, id, { event: { ...event, status: 'cancelled', version: event.version + 1 } });
  tell(world, call, 'cancellation', event, event);
  return { status: 204, body: {}, text: '' };
}

/** One page of all: tests have few. A token of an earlier look is always too old (410), after which everything is asked anew. */
function list(world: World, call: Call): Reply {
  if (call.query.has('syncToken'))
    throw new Refusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.');
  const [from, until] = ['timeMin', 'timeMax'].map((name) => Date.parse(call.query.get(name) ?? ''));
  const items = rowsOf(world)
    .map(({ event }) => event)
    .filter(({ status }) => status !== 'cancelled' || call.query.get('showDeleted') === 'true')
    .filter(({ start, end }) => !(msOf(end) <= (from ?? Number.NaN)) && !(msOf(start) >= (until ?? Number.NaN)))
    .toSorted((a, b) => msOf(a.start) - msOf(b.start));
  const body = {
    kind: 'calendar#events',
    timeZone: ZONE,
    items: items.map(shown),
    nextSyncToken: `sync${items.length}`,
  };
  return { status: 200, body };
}

const msOf = ({ date, dateTime }: Time): number => Date.parse(dateTime ?? date ?? '');
const etagOf = ({ id, version }: Stored): string => `"${id}-${version}"`;

function shown(event: Stored): object {
  const { version, ...rest } = event;
  return {
    kind: 'calendar#event',
    ...rest,
    etag: etagOf(event),
    iCalUID: `${event.id}@google.com`,
    htmlLink: `https://www.google.com/calendar/event?eid=${event.id}`,
    organizer: { email: SANDBOX_GOOGLE_ADDRESS, self: true },
  };
}

function requireVersion(call: Call, event: Stored): void {
  const wanted = call.headers['if-match'];
  if (wanted !== undefined && wanted !== etagOf(event))
    throw new Refusal(412, 'conditionNotMet', 'Precondition Failed');
}

/** Who is told what, in the sandbox's ledger: without `sendUpdates` nobody is. */
function tell(world: World, call: Call, action: string, event: Stored, before: Stored): void {
  if (call.query.get('sendUpdates') !== 'all') return;
  const now = event.attendees ?? [];
  const gone = (before.attendees ?? []).filter(({ email }) => !now.some((one) => one.email === email));
  const lines = [
    ...now.map(({ email }) => [email, action] as const),
    ...gone.map(({ email }) => [email, 'cancellation'] as const),
  ];
  for (const [about, what] of lines) {
    const head = { at: world.clock.now(), service: 'google', action: what, about, idempotencyKey: event.id };
    note(world.store, { ...head, headers: {}, body: { summary: event.summary ?? '' } });
  }
}

function missing(): Refusal {
  return new Refusal(404, 'notFound', 'Not Found');
}
