import { getNotificationPreferences } from './get-notification-preferences.ts';
import { getUnreadNotificationCount } from './get-unread-notification-count.ts';
import { listNotifications } from './list-notifications.ts';
import { markAllNotificationsRead } from './mark-all-notifications-read.ts';
import { markNotificationRead } from './mark-notification-read.ts';
import { updateNotificationPreferences } from './update-notification-preferences.ts';

export const notificationTools = [
  listNotifications,
  getUnreadNotificationCount,
  markNotificationRead,
  markAllNotificationsRead,
  getNotificationPreferences,
  updateNotificationPreferences,
];
