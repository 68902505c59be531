import { busySpans } from './busy-spans.ts';
import type { CalendarEvent } from './calendar-event.ts';
import { firstStart, freeSlots, SLOT_SPAN_MS } from './free-slots.ts';
import type { Span } from './span.ts';

const MINUTE_MS = 60_000;

/** A calendar's own settings: the hours in which meetings may lie, in its IANA zone. */
export interface CalendarHours {
  timezone: string;
  startHour: number;
  endHour: number;
  /** Minutes that stay free before and after meetings; absent: none. */
  bufferBefore?: number;
  bufferAfter?: number;
}

/** What is looked for in a calendar. */
export interface SlotQuestion {
  /** No slot starts before, epoch ms; two weeks from then are looked at. */
  from: number;
  /** Epoch ms. */
  now: number;
  durationMs: number;
  count: number;
  businessHoursOnly: boolean;
}

/** The stretch that slots may lie in; null: all of it is over. */
function stretchOf({ from, now }: Pick<SlotQuestion, 'from' | 'now'>): Span | null {
  const span = { start: firstStart(from, now), end: from + SLOT_SPAN_MS };
  return span.end > span.start ? span : null;
}

/**
 * The stretch whose events have to be known; null: all of it is over. A meeting that ends before the first slot, or begins after the last
 * one, keeps its free minutes within.
 */
export function spanOf(
  question: Pick<SlotQuestion, 'from' | 'now'>,
  { bufferBefore = 0, bufferAfter = 0 }: Pick<CalendarHours, 'bufferBefore' | 'bufferAfter'>,
): Span | null {
  const span = stretchOf(question);
  return span && { start: span.start - bufferAfter * MINUTE_MS, end: span.end + bufferBefore * MINUTE_MS };
}

/** The first free slots of a calendar. @param held times that are kept for others */
export function slotsOf(
  events: readonly CalendarEvent[],
  held: readonly Span[],
  { timezone, startHour, endHour, bufferBefore = 0, bufferAfter = 0 }: CalendarHours,
  question: SlotQuestion,
): Span[] {
  const span = stretchOf(question);
  if (!span) return [];
  return freeSlots([...busySpans(events), ...held], {
    from: span.start,
    until: span.end,
    durationMs: question.durationMs,
    count: question.count,
    hours: question.businessHoursOnly ? { startHour, endHour } : null,
    timezone,
    buffers: { beforeMs: bufferBefore * MINUTE_MS, afterMs: bufferAfter * MINUTE_MS },
  });
}
