import type { BusinessHours } from './business-hours.ts';
import { isNamedTimezone, isTimezone } from './local-time.ts';
import { isHolidayCountry } from './public-holidays.ts';

/** What a person set about where and when; absent parts are not judged. */
export interface SetHours {
  timezone?: string | undefined;
  businessHours?: Partial<BusinessHours> | undefined;
}

/** Where it is wrong, and what would be right. */
export interface HoursConflict {
  path: string;
  cause: string;
}

const ZONE = 'must be an IANA timezone, for example Europe/Berlin';
const COUNTRY = 'must be a country whose public holidays are known (ISO 3166 alpha-2, for example DE)';

/** The first thing wrong with a timezone or business hours that no schema can tell: a zone or country nobody knows. */
export function hoursConflict({ timezone, businessHours }: SetHours): HoursConflict | null {
  if (timezone !== undefined && !isNamedTimezone(timezone)) return { path: 'timezone', cause: ZONE };
  const zone = businessHours?.timezone;
  if (zone !== undefined && !isTimezone(zone)) return { path: 'businessHours.timezone', cause: ZONE };
  const country = businessHours?.holidayCountry;
  if (country === undefined || isHolidayCountry(country)) return null;
  return { path: 'businessHours.holidayCountry', cause: COUNTRY };
}
