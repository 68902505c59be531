import { z } from 'zod';
import { usableText } from '../../../base/usable-text.ts';
import type { CalendarEvent } from '../../../domain/calendar/calendar-event.ts';
import type { Span } from '../../../domain/calendar/span.ts';
import { dayOfDate, instantOf } from '../../../domain/local-time.ts';
import { CallError } from '../../call-error.ts';
import type { GuardedAnswer } from '../../guarded-request.ts';
import { exchange, jsonOf, type OutsideRequest, refusalOf } from '../../outside-http.ts';
import { calendarEventOf, googleEvent } from './google-event.ts';

/** The API of Google Calendar, version 3. */
export const GOOGLE_CALENDAR_URL = 'https://www.googleapis.com/calendar/v3';
const TIMEOUT_MS = 15_000;
/** Events of a page, and pages of a span: 2,500 is the most that Google gives at once. */
const PAGE = 2_500;
const MOST_PAGES = 4;

/** What opens the API. */
export interface GoogleAccess {
  url: string;
  token: string;
  reach: 'public' | 'any';
}

export interface GoogleRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the API, each part by itself. */
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** The version that is meant. */
  etag?: string;
}

/** @returns an answer below 300, or with a status among `also`. @throws CallError */
export async function askGoogle(
  access: GoogleAccess,
  { method, path, query = {}, body, etag }: GoogleRequest,
  signal: AbortSignal,
  also: readonly number[] = [],
): Promise<GuardedAnswer> {
  const where = `${access.url.replace(/\/+$/, '')}/${path.map(encodeURIComponent).join('/')}`;
  const asks = new URLSearchParams(query).toString();
  const call: OutsideRequest = {
    method,
    url: asks === '' ? where : `${where}?${asks}`,
    headers: {
      authorization: `Bearer ${access.token}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...(etag ? { 'if-match': etag } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: TIMEOUT_MS,
    signal,
    harmless: method === 'GET',
    reach: access.reach,
  };
  const answer = await exchange(call);
  if (answer.status < 300 || also.includes(answer.status)) return answer;
  // Google says by 403 too that it is asked too often.
  if (answer.status === 403 && /rateLimitExceeded|quotaExceeded/i.test(answer.text))
    throw new CallError('busy', 'Google is asked too often', answer.retryAfterMs, true);
  throw refusalOf(call, answer);
}

const calendarShape = z.object({ id: z.string().min(1), timeZone: z.string().optional() });

/** The calendar that an account has first: its id is the account's address. @throws CallError */
export async function primaryCalendar(
  access: GoogleAccess,
  signal: AbortSignal,
): Promise<{ id: string; timezone: string | null }> {
  const answer = await askGoogle(access, { method: 'GET', path: ['calendars', 'primary'] }, signal);
  const parsed = calendarShape.safeParse(jsonOf(answer, true));
  if (!parsed.success) throw new CallError('refused', 'Google answered in another shape');
  return { id: usableText(parsed.data.id, 320), timezone: parsed.data.timeZone ?? null };
}

const pageShape = z.object({ items: z.array(z.unknown()).default([]), nextPageToken: z.string().optional() });

/** All events that have a moment in the span, of series each instance. @throws CallError */
export async function googleEvents(
  access: GoogleAccess & { calendarId: string; timezone: string },
  span: Span,
  signal: AbortSignal,
): Promise<readonly CalendarEvent[]> {
  const midnightOf = (date: string): number => instantOf(dayOfDate(date), 0, access.timezone);
  const found: CalendarEvent[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = {
      singleEvents: 'true',
      orderBy: 'startTime',
      maxResults: String(PAGE),
      // They bound the end and the start, both exclusive: whole days begin and end in the calendar's zone.
      timeMin: new Date(span.start).toISOString(),
      timeMax: new Date(span.end).toISOString(),
      ...(pageToken === undefined ? {} : { pageToken }),
    };
    const path = ['calendars', access.calendarId, 'events'];
    const parsed = pageShape.safeParse(jsonOf(await askGoogle(access, { method: 'GET', path, query }, signal), true));
    if (!parsed.success) throw new CallError('busy', 'Google answered in another shape');
    for (const item of parsed.data.items) {
      const event = googleEvent.safeParse(item);
      const told = event.success ? calendarEventOf(event.data, midnightOf) : null;
      if (told) found.push(told);
      // What can not be read may take time, so it is no answer.
      else if (!event.success || event.data.status !== 'cancelled')
        throw new CallError('refused', 'an event of the calendar can not be read');
    }
    pageToken = parsed.data.nextPageToken;
    if (pageToken === undefined) return found;
  }
  throw new CallError('refused', `the calendar has more than ${MOST_PAGES * PAGE} events in this time`);
}
