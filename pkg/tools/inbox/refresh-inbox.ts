import { z } from 'zod';
import { refreshInbox as refresh } from '../../store/accounts/inbox-refresh.ts';
import { actingAccount } from '../outreach/acting-account.ts';
import { actingParam } from '../outreach/direct-params.ts';
import { isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';

export const refreshInbox = tool({
  name: 'svc_refresh_inbox',
  domain: 'Inbox',
  title: 'Refresh inbox',
  description:
    'Fetches new messages of one account now instead of at the next poll; a refresh under way is joined. Next: svc_list_conversations.',
  example: { input: { networkAccountId: '$networkAccountId' } },
  scope: 'inbox:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject(actingParam),
  output: z.object({ refreshId: z.string(), status: z.string(), lastSyncedAt: z.string().nullable() }),
  async run(ctx, { networkAccountId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const { workspaceId } = ctx;
      const { account } = await actingAccount(tx, { workspaceId, networkAccountId, budgets: [], now, rests: 'may' });
      const { id, status, lastSyncedAt } = await refresh(tx, account.id, ctx.ids.uuid(), now);
      return { refreshId: id, status, lastSyncedAt: isoOrNull(lastSyncedAt) };
    });
  },
});
