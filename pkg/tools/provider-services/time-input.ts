import { z } from 'zod';
import { dayOfDate, instantOf } from '../../domain/local-time.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** ISO 8601: a date, or a date and time with any offset. */
export const iso8601 = z
  .string()
  .refine((text) => z.iso.date().safeParse(text).success || z.iso.datetime({ offset: true }).safeParse(text).success, {
    message: 'must be an ISO 8601 date, or a date and time with offset, for example 2026-03-01T09:00:00Z',
  });

/** Whether a time is given as a date alone. */
export function isDate(text: string): boolean {
  return DATE.test(text);
}

/** A date begins at midnight of the calendar's zone. @returns epoch ms UTC */
export function instantOfInput(text: string, timezone: string): number {
  return isDate(text) ? instantOf(dayOfDate(text), 0, timezone) : Date.parse(text);
}
