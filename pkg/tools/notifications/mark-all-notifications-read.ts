import { z } from 'zod';
import { markAllRead } from '../../store/notifications/notifications.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { ownUser } from './own.ts';

export const markAllNotificationsRead = tool({
  name: 'svc_mark_all_notifications_read',
  domain: 'Notifications',
  title: 'Mark all notifications read',
  description: 'Marks everything up to a time read. Next: svc_get_unread_notification_count.',
  example: { input: { before: '2026-03-01T00:00:00Z' } },
  scope: 'notifications:write',
  anyRole: true,
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, before: dateTime.optional().describe('Default: now.') }),
  output: z.object({ changed: z.number() }),
  async run(ctx, { before }) {
    const now = ctx.clocks.product.now();
    const until = before === undefined ? now : Date.parse(before);
    const of = { workspaceId: ctx.workspaceId, userId: ownUser(ctx), until, now };
    const changed = await ctx.tx((tx) => markAllRead(tx, of));
    return { changed };
  },
});
