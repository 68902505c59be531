import { z } from 'zod';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { ownUser, readableKinds } from './own.ts';

export const getUnreadNotificationCount = tool({
  name: 'svc_get_unread_notification_count',
  domain: 'Notifications',
  title: 'Get unread notification count',
  description: 'Counts unread notifications by kind. Next: svc_list_notifications.',
  example: { input: {} },
  scope: 'notifications:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({ unread: z.number(), byKind: z.record(z.string(), z.number()) }),
  async run(ctx) {
    const rows = await ctx.tx((tx) =>
      tx.rows<{ kind: string; n: number }>(
        `select kind, count(*)::int as n
         from notification
         where workspace_id = $1 and ($2::uuid is null or user_id = $2) and read_at is null and in_app
           and kind = any ($3)
         group by kind
         order by kind limit 100`,
        [ctx.workspaceId, ownUser(ctx), readableKinds(ctx)],
      ),
    );
    const byKind = Object.fromEntries(rows.map((row) => [row.kind, row.n]));
    return { unread: rows.reduce((sum, row) => sum + row.n, 0), byKind };
  },
});
