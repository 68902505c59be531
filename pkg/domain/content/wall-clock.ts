import { zoneOffset } from '../local-time.ts';

const DAY_MS = 86_400_000;
const LOCAL = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?$/;

/** When a wall clock shows a time. */
export interface WallTime {
  /** Epoch ms. */
  at: number;
  /** gap: the clock skips the time, and `at` is the first instant after that; overlap: it shows it twice, and `at` is the first. */
  adjusted: 'gap' | 'overlap' | null;
}

/** A time of a wall clock as it is kept, `2026-03-29T02:30`; null when it is none. */
export function localText(given: string): string | null {
  const [, date, time] = LOCAL.exec(given) ?? [];
  if (!date || !time || Number.isNaN(Date.parse(`${date}T${time}:00Z`))) return null;
  return `${date}T${time}`;
}

/**
 * The instant at which the clock of a zone shows a local time, always computed from that time anew: never by adding days of 24 hours.
 * @param local as {@link localText} gives it
 */
export function instantOfLocal(local: string, timezone: string): WallTime {
  const naive = Date.parse(`${local}:00Z`);
  const [before, after] = [zoneOffset(naive - DAY_MS, timezone), zoneOffset(naive + DAY_MS, timezone)];
  const shown = [...new Set([before, after])]
    .map((offset) => naive - offset)
    .filter((at) => at + zoneOffset(at, timezone) === naive)
    .sort((one, other) => one - other);
  const [first] = shown;
  if (first === undefined) return { at: afterGap(naive, before, after, timezone), adjusted: 'gap' };
  return { at: first, adjusted: shown.length > 1 ? 'overlap' : null };
}

/** The first instant at which the clock has been set forward. */
function afterGap(naive: number, before: number, after: number, timezone: string): number {
  // Clocks are changed at full minutes.
  let [low, high] = [naive - Math.max(before, after), naive - Math.min(before, after)].map((at) => at / 60_000) as [
    number,
    number,
  ];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffset(middle * 60_000, timezone) === before) low = middle;
    else high = middle;
  }
  return high * 60_000;
}

/** What the clock of a zone shows, `2026-03-29T03:00`. */
export function localOf(at: number, timezone: string): string {
  return new Date(at + zoneOffset(at, timezone)).toISOString().slice(0, 16);
}
