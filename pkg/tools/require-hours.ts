import { hoursConflict, type SetHours } from '../domain/hours-conflict.ts';
import { invalidInput } from './errors.ts';

/** @throws UserError when a timezone, or the country of the public holidays, is not one that exists */
export function requireHours(change: SetHours): void {
  const { businessHours } = change;
  if (businessHours?.timezoneMode === 'fixed' && !businessHours.timezone) {
    throw invalidInput('businessHours.timezone', 'is required when timezoneMode is fixed');
  }
  const trouble = hoursConflict(change);
  if (trouble) throw invalidInput(trouble.path, trouble.cause);
}
