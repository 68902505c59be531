import { markupText } from '../../base/markup-text.ts';
import { textIn } from '../../base/read-xml.ts';
import { CallError } from '../call-error.ts';
import type { CalendarWriter, StoredEvent, WriterAccess } from './calendar-writer.ts';
import { CALDAV, DAV, davAnswer, resourcesOf, sameServer } from './dav/dav-request.ts';
import { readEventText } from './ical/event-text.ts';
import { answeredEventText, changedEventText, newEventText } from './ical/write-event.ts';

/** The server has another version than the one that was named, or has one where none was to be. */
const CHANGED = 412;
const CONFLICT = 409;
const GONE: readonly number[] = [404, 410];
const CALENDAR_TYPE = 'text/calendar; charset=utf-8';

/**
 * Events of a calendar that speaks CalDAV. An event is made under a name that is derived of the change that asks for it, only where
 * nothing has it (If-None-Match), and changed or deleted only in the version that was read (If-Match): a lost answer is followed by a
 * read, and nothing is done twice.
 */
export const caldavWriter: CalendarWriter = {
  async find(access, eventId, signal) {
    const direct = await read(access, placeOf(access, eventId), eventId, signal);
    return direct ?? search(access, eventId, signal);
  },

  async create(access, eventId, event, signal) {
    const url = placeOf(access, eventId);
    const body = newEventText(eventId, event, { ...access, organizer: access.email });
    const request = {
      method: 'PUT',
      url,
      headers: { 'content-type': CALENDAR_TYPE, 'if-none-match': '*' },
      body,
      harmless: false,
    } as const;
    const { status } = await davAnswer(access, request, signal, [CHANGED, CONFLICT]);
    const made = await shown(this.find(access, eventId, signal));
    if (!made && status >= 300)
      throw new CallError('refused', `the calendar takes no new event: it answered ${status}`);
    if (!made) throw new CallError('lost', 'the calendar took the event and does not show it');
    return made;
  },

  async change(access, known, wished, signal) {
    const body = changedEventText(known.raw, wished, { ...access, organizer: access.email });
    if (body === undefined) throw new CallError('refused', 'the event can not be read');
    return replace(access, known, body, signal);
  },

  async answer(access, known, email, answer, signal) {
    const body = answeredEventText(known.raw, email, answer);
    return body === undefined ? known : replace(access, known, body, signal);
  },

  async remove(access, known, tell, signal) {
    // No header of CalDAV keeps a server that schedules from telling them (RFC 6638 section 8.1 is for attendees).
    if (!tell && access.serverInvites && known.state.attendees.length > 0)
      throw new CallError(
        'refused',
        'the server of this calendar tells attendees by itself; delete it with notifyAttendees true',
      );
    const request = { method: 'DELETE', url: known.place, headers: matching(known), harmless: false } as const;
    const { status } = await davAnswer(access, request, signal, [...GONE, CHANGED]);
    return status === CHANGED ? 'stale' : 'removed';
  },
};

async function replace(
  access: WriterAccess,
  known: StoredEvent,
  body: string,
  signal: AbortSignal,
): Promise<StoredEvent | 'stale'> {
  const headers = { 'content-type': CALENDAR_TYPE, ...matching(known) };
  const request = { method: 'PUT', url: known.place, headers, body, harmless: false } as const;
  const { status } = await davAnswer(access, request, signal, [CHANGED, ...GONE]);
  if (status >= 300) return 'stale';
  return (await shown(read(access, known.place, known.eventId, signal))) ?? 'stale';
}

/** After a write no refusal to show the event says that nothing was written. @throws CallError `lost` */
async function shown<T>(look: Promise<T>): Promise<T> {
  try {
    return await look;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw new CallError('lost', `it was written and is not shown: ${error.message}`, error.retryAfterMs);
  }
}

/** A server that tells no version lets the last writer win; nothing can be done about it. */
function matching({ version }: StoredEvent): Record<string, string> {
  return version === '' ? {} : { 'if-match': version };
}

function placeOf({ url }: WriterAccess, eventId: string): string {
  return `${url.replace(/\/*$/, '/')}${encodeURIComponent(eventId)}.ics`;
}

async function read(
  access: WriterAccess,
  url: string,
  eventId: string,
  signal: AbortSignal,
): Promise<StoredEvent | null> {
  const answer = await davAnswer(access, { method: 'GET', url, harmless: true }, signal, GONE);
  if (answer.status >= 300) return null;
  const found = storedOf(access, { url, version: answer.etag ?? '', text: answer.text, eventId });
  return found && found.version === '' ? { ...found, version: await versionOf(access, url, signal) } : found;
}

/** Some servers leave the version out of an answer to GET. */
async function versionOf(access: WriterAccess, url: string, signal: AbortSignal): Promise<string> {
  const body = `<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:"><d:prop><d:getetag/></d:prop></d:propfind>`;
  const request = { method: 'PROPFIND', url, headers: { depth: '0' }, body, harmless: true } as const;
  const [first] = resourcesOf((await davAnswer(access, request, signal)).text);
  return (first && textIn(first.properties, `${DAV}|getetag`)) ?? '';
}

/** Events of other programs have other names than their ids. */
async function search(access: WriterAccess, eventId: string, signal: AbortSignal): Promise<StoredEvent | null> {
  const body = `<?xml version="1.0" encoding="utf-8"?><c:calendar-query xmlns:d="DAV:" xmlns:c="${CALDAV}"><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:prop-filter name="UID"><c:text-match collation="i;octet">${markupText(eventId)}</c:text-match></c:prop-filter></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`;
  const request = { method: 'REPORT', url: access.url, headers: { depth: '1' }, body, harmless: true } as const;
  for (const { href, properties } of resourcesOf((await davAnswer(access, request, signal)).text)) {
    const text = textIn(properties, `${CALDAV}|calendar-data`) ?? '';
    const version = textIn(properties, `${DAV}|getetag`) ?? '';
    const found = storedOf(access, { url: sameServer(access.url, href), version, text, eventId });
    // Servers look for a part of the text.
    if (found && found.uid === eventId) return found;
  }
  return null;
}

function storedOf(
  access: WriterAccess,
  { url, version, text, eventId }: { url: string; version: string; text: string; eventId: string },
): StoredEvent | null {
  const event = readEventText(text, access.timezone);
  if (!event?.state) return null;
  const { uid, sequence, recurring, transparent, organizer, state } = event;
  const known = { uid, sequence, recurring, transparent, organizer, state };
  return { ...known, eventId, place: url, version, htmlLink: '', raw: text };
}
