import { z } from 'zod';
import { listProviderAccounts as readPage } from '../../store/accounts/provider-accounts.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { providerAccount, providerAccountOf } from './provider-account.ts';

export const listProviderAccounts = tool({
  name: 'svc_list_provider_accounts',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'List provider accounts',
  description:
    'Lists connected mail/calendar accounts with capabilities, timezone, hours and status. Next: svc_get_free_slots or svc_send_mail.',
  example: { input: {} },
  scope: 'ext_integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, ...pageParams }),
  output: z.object({ providerAccounts: z.array(providerAccount), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const now = ctx.clocks.product.now();
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_provider_accounts',
        input,
        { workspaceId },
        (after, fetch) => readPage(tx, { workspaceId, now, after, fetch }),
        (row) => [row.createdAt, row.id],
      ),
    );
    return { providerAccounts: page.rows.map(providerAccountOf), nextCursor: page.nextCursor };
  },
});
