import { z } from 'zod';

/** ISO 8601 in UTC with Z, as every tool answers times. */
export function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** As `iso`, null stays null. */
export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : iso(epochMs);
}

/** A time parameter: ISO 8601 with any offset. */
export const dateTime = z.iso.datetime({
  offset: true,
  message: 'must be an ISO 8601 date and time with offset, for example 2026-03-01T09:00:00Z',
});
