import { zoneOffset } from '../local-time.ts';

/** What the clocks of a place show. */
export interface Zone {
  /** Local minus UTC at an instant, both in ms. */
  offsetAt(at: number): number;
}

const DAY_MS = 86_400_000;

/** `20260203T090000Z`: an instant as iCalendar writes it, in whole seconds. */
export function utcStamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

export const UTC: Zone = { offsetAt: () => 0 };

/** A zone by its IANA name. */
export function ianaZone(name: string): Zone {
  return { offsetAt: (at) => zoneOffset(at, name) };
}

/** The wall clock of a zone at an instant, read as if it were UTC. */
export function wallOf(at: number, zone: Zone): number {
  return at + zone.offsetAt(at);
}

/**
 * The instant at which the clocks of a zone show a time; where they show it twice, the first. `exists` is false where they skip it: the
 * instant then counts with the offset before the gap (RFC 5545, 3.3.5).
 * @param wall the time read as if it were UTC, epoch ms
 */
export function instantOfWall(wall: number, zone: Zone): { at: number; exists: boolean } {
  const before = wall - zone.offsetAt(wall - DAY_MS);
  const after = wall - zone.offsetAt(wall + DAY_MS);
  const shown = [before, after].filter((at) => wallOf(at, zone) === wall);
  return shown.length > 0 ? { at: Math.min(...shown), exists: true } : { at: before, exists: false };
}
