import { z } from 'zod';
import { listProviderAccounts } from '../../store/accounts/provider-accounts.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { warmupStatus, warmupsOf } from './warmup-status.ts';

export const getWarmupStatus = tool({
  name: 'svc_get_warmup_status',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Get warm-up status',
  description: 'Warm-up stage, volumes, inbox share and readiness per mailbox. Next: svc_control_warmup.',
  example: { input: {} },
  scope: 'ext_integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    providerAccountId: z.string().min(1).optional().describe('Default: all mailboxes of the workspace.'),
    ...pageParams,
  }),
  output: z.object({ warmups: z.array(warmupStatus), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId } = ctx;
    const { providerAccountId } = input;
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const page = await pageOf(
        ctx,
        'svc_get_warmup_status',
        input,
        { workspaceId, providerAccountId },
        (after, fetch) =>
          listProviderAccounts(tx, { workspaceId, capability: 'mail', id: providerAccountId, now, after, fetch }),
        (row) => [row.createdAt, row.id],
      );
      if (providerAccountId !== undefined && page.rows.length === 0)
        throw notFound('providerAccount', providerAccountId);
      return { warmups: await warmupsOf(tx, page.rows, now), nextCursor: page.nextCursor };
    });
  },
});
