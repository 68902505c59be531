import { z } from 'zod';
import { ACCOUNT_STATUSES } from '../../domain/vocabulary.ts';
import { detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { ACCOUNT_COLUMNS, ACCOUNT_FORM, type AccountRow, accountOf, listedAccount } from './account-row.ts';

export const listNetworkAccounts = tool({
  name: 'svc_list_network_accounts',
  domain: 'Network Accounts',
  title: 'List network accounts',
  description: 'Lists connected network accounts linked to the workspace with status. Next: svc_get_network_account.',
  example: { input: { status: 'ok' } },
  scope: 'accounts:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    status: z.enum(['ok', ...ACCOUNT_STATUSES.filter((status) => status !== 'ok')]).optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({ networkAccounts: z.array(listedAccount), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const filters = { workspaceId: ctx.workspaceId, status: input.status };
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_network_accounts',
        input,
        filters,
        (position, fetch) =>
          tx.rows<AccountRow>(
            `select ${ACCOUNT_COLUMNS}
             where a.kind = 'network'
               and a.id in (select account_id from account_link where workspace_id = $1)
               and ($2::text is null or a.status = $2)
               and ($3::text is null or a.id > $3)
             order by a.id limit $4`,
            [ctx.workspaceId, input.status ?? null, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      ),
    );
    const now = ctx.clocks.product.now();
    const shape = shaper(ACCOUNT_FORM, input);
    const networkAccounts = page.rows.map((row) => ({ ...shape(accountOf(row, now)), networkAccountId: row.id }));
    return { networkAccounts, nextCursor: page.nextCursor };
  },
});
