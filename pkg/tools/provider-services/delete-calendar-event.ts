import { z } from 'zod';
import { tool } from '../tool.ts';
import { calendarParams, requireCalendar } from './calendar-of.ts';
import { awaitChange, planEvent } from './change-event.ts';
import { requireEvent } from './require-event.ts';

export const deleteCalendarEvent = tool({
  name: 'svc_delete_calendar_event',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Delete calendar event',
  description: 'Deletes an event and sends cancellations to attendees. Next: svc_list_calendar_events.',
  example: { input: { providerAccountId: '$calendarId', eventId: '$calendarEventId', notifyAttendees: false } },
  scope: 'ext_integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...calendarParams,
    eventId: z.string().min(1),
    notifyAttendees: z.boolean().default(true),
  }),
  output: z.object({
    eventId: z.string(),
    deleted: z.boolean().describe('False: it is deleted as soon as an executor runs.'),
  }),
  async run(ctx, { providerAccountId, eventId, notifyAttendees }) {
    const { workspaceId } = ctx;
    const calendar = await ctx.tx((tx) => requireCalendar(tx, workspaceId, providerAccountId));
    await requireEvent(ctx, calendar, eventId);
    const wanted = { notify: notifyAttendees };
    const change = { id: ctx.ids.uuid(), accountId: calendar.id, kind: 'delete', eventId, wanted } as const;
    const changeId = await ctx.tx((tx) => planEvent(ctx, tx, change));
    const { status } = await awaitChange(ctx, changeId, change);
    return { eventId, deleted: status === 'done' };
  },
});
