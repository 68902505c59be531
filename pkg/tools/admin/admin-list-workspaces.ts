import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { adminWorkspace, adminWorkspaceOf, readAdminWorkspaces, WORKSPACE_STATUS } from './admin-workspace.ts';

export const adminListWorkspaces = tool({
  name: 'svc_admin_list_workspaces',
  domain: 'Admin (platform admins only)',
  title: 'Admin: list workspaces',
  description: 'Lists all workspaces with owner, plan, executor phase and balance. Next: svc_admin_get_workspace.',
  example: { input: { query: 'Birch', status: 'active' }, caller: 'admin' },
  scope: 'admin:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({
    query: z.string().max(200).optional(),
    status: z.enum(WORKSPACE_STATUS).optional(),
    ...pageParams,
  }),
  output: z.object({ workspaces: z.array(adminWorkspace), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { query, status } = input;
    const now = ctx.clocks.product.now();
    const page = await ctx.platformTx((tx) =>
      pageOf(
        ctx,
        'svc_admin_list_workspaces',
        input,
        { query, status },
        (after, limit) => readAdminWorkspaces(tx, { query, status, after, limit, now }),
        (row) => [row.created_at, row.id],
      ),
    );
    return { workspaces: page.rows.map(adminWorkspaceOf), nextCursor: page.nextCursor };
  },
});
