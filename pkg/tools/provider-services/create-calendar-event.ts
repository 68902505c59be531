import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { eventIdOf } from '../../domain/calendar/event-id.ts';
import type { CalendarRow } from '../../store/accounts/calendar-accounts.ts';
import { tool } from '../tool.ts';
import { requireNotHeld } from './book-time.ts';
import { calendarParams, requireCalendar } from './calendar-of.ts';
import { awaitChange, planEvent } from './change-event.ts';
import { requireAllowed, wantedOf } from './event-input.ts';
import { iso8601 } from './time-input.ts';

/** What the tools answer that make or change an event. */
export const changedEvent = {
  eventId: z.string(),
  htmlLink: z.string().describe('Empty: the calendar has no pages, or the event is still to be written.'),
  status: z
    .enum(['done', 'scheduled'])
    .describe('scheduled: it is written as soon as an executor runs; the same call again tells what became of it.'),
};

export const createCalendarEvent = tool({
  name: 'svc_create_calendar_event',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Create calendar event',
  description:
    'Creates an event; attendees are invited automatically. Check availability first. Next: svc_list_calendar_events.',
  example: {
    input: {
      providerAccountId: '$calendarId',
      summary: 'Meeting with Acme',
      startTime: '2026-03-10T09:00:00Z',
      endTime: '2026-03-10T09:30:00Z',
    },
  },
  scope: 'ext_integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...calendarParams,
    summary: z.string().min(1),
    startTime: iso8601,
    endTime: iso8601.describe('After startTime.'),
    description: z.string().optional(),
    location: z.string().optional(),
    attendeeEmails: z.array(z.email()).optional(),
  }),
  output: z.object(changedEvent),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    const planned = await ctx.repeatable<{ changeId: string; eventId: string; accountId: string }>(workspaceId, {
      work: async (tx, earlier) => {
        if (earlier) return earlier;
        const calendar = await requireCalendar(tx, workspaceId, input.providerAccountId);
        const wanted = wantedOf({ attendeeEmails: [], ...input }, calendar.timezone, calendar.email);
        const attendees = wanted['attendees'] as string[];
        requireTeller(calendar, attendees);
        await requireAllowed(tx, workspaceId, attendees, now);
        const times = { start: Number(wanted['start']), end: Number(wanted['end']), allDay: wanted['allDay'] === true };
        await requireNotHeld(ctx, tx, calendar, times, attendees);
        const id = ctx.ids.uuid();
        const change = { id, accountId: calendar.id, kind: 'create', eventId: eventIdOf(id), wanted } as const;
        return { changeId: await planEvent(ctx, tx, change), eventId: change.eventId, accountId: calendar.id };
      },
      did: () => true,
    });
    const { eventId, changeId } = planned;
    return { eventId, ...(await awaitChange(ctx, changeId, planned)) };
  },
});

/** @throws UserError where nobody could tell the attendees */
export function requireTeller({ email, serverInvites, mailboxId }: CalendarRow, attendees: readonly string[]): void {
  if (attendees.length === 0 || serverInvites || mailboxId !== null) return;
  throw new UserError(
    `The server of this calendar invites nobody, and no mailbox of ${email || 'its owner'} is linked to the workspace: connect it with svc_connect_integration (smtp_imap), or leave attendeeEmails out.`,
    'NoMailbox',
  );
}
