import { z } from 'zod';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Accounts of a workspace that are shown at most. */
const MOST = 500;

export const getUnreadCounts = tool({
  name: 'svc_get_unread_counts',
  domain: 'Inbox',
  title: 'Get unread counts',
  description: 'Unread conversations per account and in total. Next: svc_list_conversations.',
  example: { input: {} },
  scope: 'inbox:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({
    total: z.number(),
    accounts: z.array(z.object({ networkAccountId: z.string(), unread: z.number() })),
  }),
  async run(ctx) {
    const accounts = await ctx.tx((tx) =>
      tx.rows<{ networkAccountId: string; unread: number }>(
        `select k.account_id as "networkAccountId", count(c.id)::int as unread
         from account_link k
         left join conversation c on c.account_id = k.account_id and c.unread > 0
         where k.workspace_id = $1
         group by 1
         order by 1 limit ${MOST}`,
        [ctx.workspaceId],
      ),
    );
    return { total: accounts.reduce((sum, one) => sum + one.unread, 0), accounts };
  },
});
