import type { SetHours } from '../../domain/hours-conflict.ts';
import { readCountry } from '../../domain/identity/country.ts';
import { readTimezone } from '../../domain/identity/time-zone.ts';

/**
 * Hours whose zone and country are read as an import reads them, so that a manifest may say `europe/berlin`, the name that Windows has
 * for it, or `UK`. What can't be read stays, and is judged as it is (`hoursProblem`).
 */
export function withReadHours<T extends SetHours>(spec: T): T {
  const { timezone, businessHours } = spec;
  return {
    ...spec,
    ...(timezone === undefined ? {} : { timezone: zoneOf(timezone) }),
    ...(businessHours === undefined ? {} : { businessHours: readOf(businessHours) }),
  };
}

function readOf<H extends NonNullable<SetHours['businessHours']>>(hours: H): H {
  const { timezone, holidayCountry } = hours;
  return {
    ...hours,
    ...(timezone === undefined ? {} : { timezone: zoneOf(timezone) }),
    ...(holidayCountry === undefined ? {} : { holidayCountry: readCountry(holidayCountry).value ?? holidayCountry }),
  };
}

function zoneOf(timezone: string): string {
  return readTimezone(timezone).value ?? timezone;
}
