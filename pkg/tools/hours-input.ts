import { z } from 'zod';
import { DEFAULT_BUSINESS_HOURS, TIMEZONE_MODES } from '../domain/business-hours.ts';
import { documentedDefault } from './documented-default.ts';

/** The send window as tools that change settings take it; absent is unchanged (see `requireHours`). */
export const hoursInput = z
  .strictObject({
    timezoneMode: documentedDefault(z.enum(TIMEZONE_MODES), DEFAULT_BUSINESS_HOURS.timezoneMode),
    timezone: z.string().optional().describe('IANA; required for fixed; fallback for lead.'),
    days: z.array(z.int().min(1).max(7)).optional().describe('1 = Monday.'),
    startHour: documentedDefault(z.int().min(0).max(23), DEFAULT_BUSINESS_HOURS.startHour),
    endHour: documentedDefault(z.int().min(1).max(24), DEFAULT_BUSINESS_HOURS.endHour),
    holidayCountry: z.string().optional().describe('ISO 3166 alpha-2; skip public holidays.'),
  })
  .optional()
  .describe('Send window; evaluated in the timezone chosen by timezoneMode.');
