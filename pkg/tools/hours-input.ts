import { z } from 'zod';
import { told } from './told.ts';

/** The send window as tools that change settings take it; absent is unchanged (see `requireHours`). */
export const hoursInput = z
  .strictObject({
    timezoneMode: told(z.enum(['lead', 'account', 'fixed']), 'lead'),
    timezone: z.string().optional().describe('IANA; required for fixed; fallback for lead.'),
    days: z.array(z.int().min(1).max(7)).optional().describe('1 = Monday.'),
    startHour: told(z.int().min(0).max(23), 9),
    endHour: told(z.int().min(1).max(24), 18),
    holidayCountry: z.string().optional().describe('ISO 3166 alpha-2; skip public holidays.'),
  })
  .optional()
  .describe('Send window; evaluated in the timezone chosen by timezoneMode.');
