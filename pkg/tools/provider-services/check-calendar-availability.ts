import { z } from 'zod';
import { isBusy } from '../../domain/calendar/busy-spans.ts';
import { overlaps } from '../../domain/calendar/span.ts';
import { invalidInput } from '../errors.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { calendarEvents, calendarParams, requireCalendar } from './calendar-of.ts';
import { instantOfInput, iso8601 } from './time-input.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 62;
/** Events that an answer names. */
const MOST_CONFLICTS = 100;

export const checkCalendarAvailability = tool({
  name: 'svc_check_calendar_availability',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Check availability',
  description: 'Says whether a time span is free and which events conflict. Next: svc_get_free_slots.',
  example: {
    input: { startTime: '2026-03-03T09:00:00Z', endTime: '2026-03-03T09:30:00Z', providerAccountId: '$calendarId' },
  },
  scope: 'ext_integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...calendarParams,
    startTime: iso8601,
    endTime: iso8601.describe('After startTime.'),
  }),
  output: z.object({
    available: z.boolean(),
    conflictingEvents: z.array(z.object({ summary: z.string(), start: z.string(), end: z.string() })),
  }),
  async run(ctx, { providerAccountId, startTime, endTime }) {
    const calendar = await ctx.tx((tx) => requireCalendar(tx, ctx.workspaceId, providerAccountId));
    const span = {
      start: instantOfInput(startTime, calendar.timezone),
      end: instantOfInput(endTime, calendar.timezone),
    };
    if (span.end <= span.start) throw invalidInput('endTime', 'must be after startTime');
    if (span.end - span.start > MOST_DAYS * DAY_MS)
      throw invalidInput('endTime', `lies more than ${MOST_DAYS} days after startTime`);
    const events = await calendarEvents(ctx, ctx.workspaceId, calendar, span);
    const conflicts = events.filter((event) => isBusy(event) && event.end > event.start && overlaps(event, span));
    return {
      available: conflicts.length === 0,
      conflictingEvents: conflicts
        .slice(0, MOST_CONFLICTS)
        .map(({ title, start, end }) => ({ summary: title, start: iso(start), end: iso(end) })),
    };
  },
});
