import { checkCalendarAvailability } from './check-calendar-availability.ts';
import { getFreeSlots } from './get-free-slots.ts';

export const providerServiceTools = [getFreeSlots, checkCalendarAvailability];
