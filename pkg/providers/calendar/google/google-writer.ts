import { z } from 'zod';
import { CallError } from '../../call-error.ts';
import { askGoogle } from '../../google/google-request.ts';
import { jsonOf, type OutsideAnswer } from '../../outside-http.ts';
import type { CalendarWriter, StoredEvent, WriterAccess } from '../calendar-writer.ts';
import { googleBody, googleEvent, storedGoogleEvent } from './google-event.ts';

const GONE: readonly number[] = [404, 410];
const CHANGED = 412;
const EXISTS = 409;
/** Attendees are told of what is changed. What is done again after a lost answer is read before, so that nothing is told twice. */
const TELL_ALL = { sendUpdates: 'all' };

const keptShape = z.array(z.looseObject({ email: z.string() }));

/**
 * Events of a Google calendar. An event is made under an id of our own, which Google has once; it is changed and deleted only in the
 * version that was read.
 */
export const googleWriter: CalendarWriter = {
  async find(access, eventId, signal) {
    const answer = await askGoogle(access, { method: 'GET', path: pathOf(access, eventId) }, signal, GONE);
    return answer.status >= 300 ? null : eventIn(answer);
  },

  async create(access, eventId, event, signal) {
    const body = { id: eventId, ...googleBody(event, access.timezone, []) };
    const request = {
      method: 'POST',
      path: ['calendars', access.calendarId, 'events'],
      query: TELL_ALL,
      body,
    } as const;
    const answer = await askGoogle(access, request, signal, [EXISTS]);
    // Google notices a second event of the same id late at times: what counts is what it shows.
    const made = answer.status === EXISTS ? await this.find(access, eventId, signal) : eventIn(answer, false);
    if (!made) throw new CallError('refused', 'the calendar had this event, and it was deleted');
    return made;
  },

  async change(access, known, wished, signal) {
    const body = googleBody(wished, access.timezone, keptShape.parse(JSON.parse(known.raw)));
    const request = {
      method: 'PATCH',
      path: pathOf(access, known.eventId),
      query: TELL_ALL,
      body,
      etag: known.version,
    } as const;
    const answer = await askGoogle(access, request, signal, [CHANGED, ...GONE]);
    return answer.status >= 300 ? 'stale' : (eventIn(answer, false) ?? 'stale');
  },

  // Google reads the answers of attendees itself.
  answer: (_access, known) => Promise.resolve(known),

  async remove(access, known, tell, signal) {
    const query = { sendUpdates: tell ? 'all' : 'none' };
    const request = { method: 'DELETE', path: pathOf(access, known.eventId), query, etag: known.version } as const;
    const { status } = await askGoogle(access, request, signal, [CHANGED, ...GONE]);
    return status === CHANGED ? 'stale' : 'removed';
  },
};

function pathOf({ calendarId }: WriterAccess, eventId: string): string[] {
  return ['calendars', calendarId, 'events', eventId];
}

/** @returns null: it was deleted. @throws CallError when it is none: of a write nobody knows what was done */
function eventIn(answer: OutsideAnswer, harmless = true): StoredEvent | null {
  const parsed = googleEvent.safeParse(jsonOf(answer, harmless));
  if (!parsed.success) throw new CallError(harmless ? 'busy' : 'lost', 'Google answered in another shape');
  return parsed.data.status === 'cancelled' ? null : storedGoogleEvent(parsed.data);
}
