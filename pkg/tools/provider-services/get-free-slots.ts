import { z } from 'zod';
import { slotsOf, spanOf } from '../../domain/calendar/calendar-slots.ts';
import { invalidInput } from '../errors.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { calendarEvents, calendarParams, requireCalendar } from './calendar-of.ts';
import { instantOfInput, iso8601 } from './time-input.ts';

const MINUTE_MS = 60_000;
/** How far ahead a first day may lie. */
const MOST_AHEAD_MS = 2 * 366 * 86_400_000;

export const getFreeSlots = tool({
  name: 'svc_get_free_slots',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Get free slots',
  description:
    'Finds the first free calendar gaps of a length from a date on, up to 14 days ahead. Next: svc_check_calendar_availability.',
  example: { input: { fromDate: '2026-03-03', providerAccountId: '$calendarId' } },
  scope: 'ext_integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...calendarParams,
    fromDate: iso8601.describe('ISO 8601; slots before it are excluded.'),
    durationMinutes: z.int().min(1).max(1_440).default(30),
    count: z.int().min(1).max(100).default(3),
    businessHoursOnly: z.boolean().default(true),
  }),
  output: z.object({
    slots: z.array(z.object({ start: z.string(), end: z.string() })),
    timezone: z.string(),
    providerAccountId: z.string(),
  }),
  async run(ctx, { providerAccountId, fromDate, durationMinutes, count, businessHoursOnly }) {
    const now = ctx.clocks.product.now();
    const calendar = await ctx.tx((tx) => requireCalendar(tx, ctx.workspaceId, providerAccountId));
    const from = instantOfInput(fromDate, calendar.timezone);
    if (from > now + MOST_AHEAD_MS) throw invalidInput('fromDate', 'lies more than two years ahead');
    const question = { from, now, durationMs: durationMinutes * MINUTE_MS, count, businessHoursOnly };
    const span = spanOf(question, calendar);
    // Holds are for those who are offered something: this only reads, as specified.
    const events = span ? await calendarEvents(ctx, ctx.workspaceId, calendar, span) : [];
    const slots = slotsOf(events, [], calendar, question);
    return {
      slots: slots.map(({ start, end }) => ({ start: iso(start), end: iso(end) })),
      timezone: calendar.timezone,
      providerAccountId: calendar.id,
    };
  },
});
