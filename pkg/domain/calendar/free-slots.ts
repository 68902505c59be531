import { instantOf, localTime, weekdayOf } from '../local-time.ts';
import { mergeSpans, type Span } from './span.ts';

export interface SlotWishes {
  /** No slot starts before; epoch ms. */
  from: number;
  /** No slot ends after; epoch ms. */
  until: number;
  durationMs: number;
  count: number;
  /** Hours of working days that slots lie within, by the clocks of `timezone`; null: at any time. */
  hours: { startHour: number; endHour: number } | null;
  timezone: string;
  /** Time that stays free before and after what is taken. */
  buffers?: { beforeMs: number; afterMs: number };
}

/** How far ahead is looked. Source: specification, svc_get_free_slots. */
export const SLOT_DAYS = 14;
export const SLOT_SPAN_MS = SLOT_DAYS * 86_400_000;
/** Slots start at full quarters of an hour, which are full quarters in every zone of today. */
const GRID_MS = 15 * 60_000;
/** Nobody is proposed a meeting that begins sooner. */
const NOTICE_MS = 15 * 60_000;
const SATURDAY = 6;

/** When the first slot may start that is proposed now for a time from `from` on. */
export function firstStart(from: number, now: number): number {
  return Math.max(from, now + NOTICE_MS);
}

/**
 * The first gaps that fit, one after the other. Taken times that touch are one, then come the buffers, the hours, and last the quarters of
 * an hour: a slot starts at one, and where its gap is too short for that, when what was taken ends.
 */
export function freeSlots(busy: readonly Span[], wishes: SlotWishes): Span[] {
  const { from, until, durationMs, count } = wishes;
  const { beforeMs, afterMs } = wishes.buffers ?? { beforeMs: 0, afterMs: 0 };
  const taken = mergeSpans(busy).map(({ start, end }) => ({ start: start - beforeMs, end: end + afterMs }));
  const first = Math.ceil(from / GRID_MS) * GRID_MS;
  const found: Span[] = [];
  for (const open of openSpans(wishes)) {
    for (const gap of gapsIn(open, mergeSpans(taken))) {
      const within = { start: Math.max(gap.start, first), end: Math.min(gap.end, until) };
      found.push(...slotsIn(within, durationMs, count - found.length));
      if (found.length >= count) return found;
    }
  }
  return found;
}

/** Slots of one gap, back to back. */
function slotsIn(gap: Span, durationMs: number, most: number): Span[] {
  const onGrid = Math.ceil(gap.start / GRID_MS) * GRID_MS;
  let at = onGrid + durationMs <= gap.end ? onGrid : gap.start;
  const found: Span[] = [];
  while (found.length < most && at + durationMs <= gap.end) {
    found.push({ start: at, end: at + durationMs });
    at = Math.ceil((at + durationMs) / GRID_MS) * GRID_MS;
  }
  return found;
}

/** What of an open stretch is not taken; `taken` in order and merged. */
function* gapsIn(open: Span, taken: readonly Span[]): Generator<Span> {
  let at = open.start;
  for (const { start, end } of taken) {
    if (end <= at) continue;
    if (start >= open.end) break;
    if (start > at) yield { start: at, end: start };
    at = end;
  }
  if (at < open.end) yield { start: at, end: open.end };
}

/** The stretches that slots may lie in: each working day's hours, or all of it. A day's hours are those that its clocks show. */
function* openSpans({ from, until, hours, timezone }: SlotWishes): Generator<Span> {
  if (hours === null) {
    yield { start: from, end: until };
    return;
  }
  const last = localTime(until, timezone).dayNumber;
  for (let day = localTime(from, timezone).dayNumber; day <= last; day++) {
    if (weekdayOf(day) >= SATURDAY) continue;
    yield { start: instantOf(day, hours.startHour, timezone), end: instantOf(day, hours.endHour, timezone) };
  }
}

/** Times that begin at these instants (epoch ms): `Tue 3 Feb 10:00, Wed 4 Feb 09:30 (Europe/Berlin)`, as a message names them. */
export function slotsText(starts: readonly number[], timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const texts = starts.map((start) => parts.format(start).replaceAll(',', ''));
  return texts.length === 0 ? '' : `${texts.join(', ')} (${timezone})`;
}
