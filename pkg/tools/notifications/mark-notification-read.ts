import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { markRead } from '../../store/notifications/notifications.ts';
import { notFound } from '../errors.ts';
import { tool } from '../tool.ts';
import { ownUser } from './own.ts';

export const markNotificationRead = tool({
  name: 'svc_mark_notification_read',
  domain: 'Notifications',
  title: 'Mark notification read',
  description: 'Marks one notification read. Next: svc_get_unread_notification_count.',
  example: { input: { notificationId: '$notificationId' } },
  scope: 'notifications:write',
  anyRole: true,
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ notificationId: z.string().min(1) }),
  output: z.object({ notificationId: z.string(), read: z.boolean() }),
  async run(ctx, { notificationId }) {
    const known =
      isUuid(notificationId) &&
      (await ctx.tx((tx) => markRead(tx, notificationId, ownUser(ctx), ctx.clocks.product.now())));
    if (!known) throw notFound('notification', notificationId);
    return { notificationId, read: true };
  },
});
