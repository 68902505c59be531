import { z } from 'zod';
import { MOST_ATTENDEES } from '../../domain/calendar/calendar-wish.ts';
import type { StoredEvent } from '../../providers/calendar/calendar-writer.ts';
import { plannedEvent } from '../../store/calendar/calendar-changes.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { movedTo, requireNotHeld } from './book-time.ts';
import { calendarParams, requireCalendar } from './calendar-of.ts';
import { awaitChange, planEvent } from './change-event.ts';
import { changedEvent, requireTeller } from './create-calendar-event.ts';
import { requireAllowed, wantedOf } from './event-input.ts';
import { requireEvent } from './require-event.ts';
import { iso8601 } from './time-input.ts';

export const updateCalendarEvent = tool({
  name: 'svc_update_calendar_event',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Update calendar event',
  description:
    'Changes given fields of an event (attendeeEmails replaces the list); attendees get update notices. Next: svc_list_calendar_events.',
  example: { input: { providerAccountId: '$calendarId', eventId: '$calendarEventId', location: 'Room 4' } },
  scope: 'ext_integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...calendarParams,
    eventId: z.string().min(1),
    summary: z.string().min(1).optional(),
    startTime: iso8601.optional(),
    endTime: iso8601.optional(),
    description: z.string().optional(),
    location: z.string().optional(),
    attendeeEmails: z.array(z.email()).optional(),
  }),
  output: z.object(changedEvent),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const { eventId } = input;
    const now = ctx.clocks.product.now();
    const calendar = await ctx.tx((tx) => requireCalendar(tx, workspaceId, input.providerAccountId));
    const wanted = wantedOf(input, calendar.timezone, calendar.email);
    if (Object.keys(wanted).length === 0) throw invalidInput('summary', 'give at least one field to change');
    const attendees = (wanted['attendees'] ?? []) as string[];
    requireTeller(calendar, attendees);
    const known = await requireEvent(ctx, calendar, eventId);
    // Who is on the event already is told of the change too.
    const told = wanted['attendees'] ? attendees : guestsOf(known, calendar.email);
    if (told.length > MOST_ATTENDEES)
      throw invalidInput(
        'attendeeEmails',
        `of the event has more than ${MOST_ATTENDEES} addresses; name those who stay`,
      );
    const changeId = await ctx.tx(async (tx) => {
      await requireAllowed(tx, workspaceId, told, now);
      const planned = known ? undefined : await plannedEvent(tx, calendar.id, eventId);
      const takes = movedTo(known, planned, wanted, calendar.timezone);
      if (takes) await requireNotHeld(ctx, tx, calendar, takes, [...told, ...(planned?.attendees ?? [])]);
      const change = { id: ctx.ids.uuid(), accountId: calendar.id, kind: 'update', eventId } as const;
      return planEvent(ctx, tx, { ...change, wanted: takes ? { ...wanted, takes: { ...takes } } : wanted });
    });
    return { eventId, ...(await awaitChange(ctx, changeId, { accountId: calendar.id, eventId })) };
  },
});

/** Who is invited to the event as the calendar has it; nobody to one that is still to be made. */
function guestsOf(known: StoredEvent | null, own: string): string[] {
  const all = known?.state.attendees.map(({ email }) => email.toLowerCase()) ?? [];
  return all.filter((email) => email !== own.toLowerCase());
}
