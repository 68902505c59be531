import { z } from 'zod';
import type { CalendarEvent } from '../../domain/calendar/calendar-event.ts';
import { isOwnEvent } from '../../domain/calendar/event-id.ts';
import { type CompactForm, detailParam, shaper } from '../compact.ts';
import { invalidInput } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { calendarEvents, calendarParams, requireCalendar } from './calendar-of.ts';
import { instantOfInput, iso8601 } from './time-input.ts';

const DAY_MS = 86_400_000;
/** Days that one call looks at: series are expanded over all of them. */
const MOST_DAYS = 366;

/** Catalog record CalendarEvent. */
export const calendarEvent = z.object({
  eventId: z.string().describe('Instances of a series share it.'),
  summary: z.string(),
  start: z.string(),
  end: z.string(),
  description: z.string(),
  location: z.string(),
  attendees: z.array(z.object({ email: z.string(), response: z.string() })),
  htmlLink: z.string(),
  createdByService: z.boolean(),
});

const EVENT_FORM: CompactForm = {
  id: 'eventId',
  known: Object.keys(calendarEvent.shape),
  kept: Object.keys(calendarEvent.shape).filter((name) => name !== 'eventId'),
};

export const listCalendarEvents = tool({
  name: 'svc_list_calendar_events',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'List calendar events',
  description: 'Lists events between two times; use to find an eventId. Next: svc_update_calendar_event.',
  example: {
    input: { providerAccountId: '$calendarId', fromDate: '2026-03-02', toDate: '2026-03-16' },
    keep: { calendarEventId: 'events.0.eventId' },
  },
  scope: 'ext_integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({ ...calendarParams, fromDate: iso8601, toDate: iso8601, ...detailParam, ...pageParams }),
  output: z.object({
    events: z.array(calendarEvent.partial().required({ eventId: true })),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const row = await ctx.tx((tx) => requireCalendar(tx, workspaceId, input.providerAccountId));
    const span = {
      start: instantOfInput(input.fromDate, row.timezone),
      end: instantOfInput(input.toDate, row.timezone),
    };
    if (span.end <= span.start) throw invalidInput('toDate', 'must be after fromDate');
    if (span.end - span.start > MOST_DAYS * DAY_MS)
      throw invalidInput('toDate', `is more than ${MOST_DAYS} days later`);
    const all = await calendarEvents(ctx, workspaceId, row, span);
    const events = all.filter(({ status }) => status !== 'cancelled').toSorted(inOrder);
    const shape = shaper(EVENT_FORM, { detail: input.detail });
    const page = await pageOf(
      ctx,
      'svc_list_calendar_events',
      input,
      { workspaceId, accountId: row.id, ...span },
      (after, fetch) => Promise.resolve(events.filter((event) => isAfter(event, after)).slice(0, fetch)),
      (event) => [event.start, event.uid],
    );
    const shown = page.rows.map((event) => ({ ...shape(recordOf(event)), eventId: event.uid }));
    return { events: shown, nextCursor: page.nextCursor };
  },
});

function inOrder(one: CalendarEvent, other: CalendarEvent): number {
  return one.start - other.start || (one.uid < other.uid ? -1 : Number(one.uid > other.uid));
}

function isAfter({ start, uid }: CalendarEvent, after: readonly (string | number | null)[] | null): boolean {
  if (after === null) return true;
  const [at, id] = [Number(after[0]), String(after[1])];
  return start > at || (start === at && uid > id);
}

function recordOf(event: CalendarEvent): z.input<typeof calendarEvent> {
  const { uid, title, start, end, description = '', location = '', attendees, url = '' } = event;
  return {
    eventId: uid,
    summary: title,
    start: iso(start),
    end: iso(end),
    description,
    location,
    attendees: attendees.map(({ email, answer }) => ({ email, response: answer })),
    htmlLink: url,
    createdByService: isOwnEvent(uid),
  };
}
