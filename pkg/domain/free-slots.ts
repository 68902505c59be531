import { localTime } from './local-time.ts';

/** A stretch of time, epoch ms UTC, the end exclusive. */
export interface Span {
  start: number;
  end: number;
}

export interface SlotRequests {
  /** No slot starts before; epoch ms. */
  from: number;
  durationMs: number;
  count: number;
  /** Hours that slots lie within, on working days, in `timezone`; null: at any time. */
  hours: { startHour: number; endHour: number } | null;
  timezone: string;
}

/** How far ahead is looked. Source: specification, svc_get_free_slots. */
export const SLOT_DAYS = 14;
const DAY_MS = 86_400_000;
/** Slots start at full quarters of an hour. */
const GRID_MS = 15 * 60_000;
const SATURDAY = 6;

/** The first gaps that fit, one after the other, at most 14 days ahead. */
export function freeSlots(busy: readonly Span[], wishes: SlotRequests): readonly Span[] {
  const { from, durationMs, count, hours, timezone } = wishes;
  const until = from + SLOT_DAYS * DAY_MS;
  const taken = busy.filter((span) => span.end > from && span.start < until).sort((a, b) => a.start - b.start);
  const found: Span[] = [];
  let at = Math.ceil(from / GRID_MS) * GRID_MS;
  while (found.length < count && at + durationMs <= until) {
    const slot = { start: at, end: at + durationMs };
    const clash = taken.find((span) => span.start < slot.end && span.end > slot.start);
    if (clash) {
      at = Math.max(at + GRID_MS, Math.ceil(clash.end / GRID_MS) * GRID_MS);
      continue;
    }
    const fits = hours === null || within(slot, hours, timezone);
    if (fits) found.push(slot);
    at += fits ? Math.ceil(durationMs / GRID_MS) * GRID_MS : GRID_MS;
  }
  return found;
}

function within(slot: Span, hours: { startHour: number; endHour: number }, timezone: string): boolean {
  const first = localTime(slot.start, timezone);
  const last = localTime(slot.end - 1, timezone);
  const day = first.dayNumber === last.dayNumber && first.weekday < SATURDAY;
  return day && first.hour >= hours.startHour && last.hour < hours.endHour;
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
