import { checkCalendarAvailability } from './check-calendar-availability.ts';
import { controlWarmup } from './control-warmup.ts';
import { createCalendarEvent } from './create-calendar-event.ts';
import { deleteCalendarEvent } from './delete-calendar-event.ts';
import { getFreeSlots } from './get-free-slots.ts';
import { getMailDeliverability } from './get-mail-deliverability.ts';
import { getWarmupStatus } from './get-warmup-status.ts';
import { listCalendarEvents } from './list-calendar-events.ts';
import { listProviderAccounts } from './list-provider-accounts.ts';
import { sendMail } from './send-mail.ts';
import { updateCalendarEvent } from './update-calendar-event.ts';
import { updateProviderAccountSettings } from './update-provider-account-settings.ts';

export const providerServiceTools = [
  listProviderAccounts,
  sendMail,
  getWarmupStatus,
  controlWarmup,
  updateProviderAccountSettings,
  getMailDeliverability,
  getFreeSlots,
  checkCalendarAvailability,
  listCalendarEvents,
  createCalendarEvent,
  updateCalendarEvent,
  deleteCalendarEvent,
];
