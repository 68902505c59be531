import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

interface Row {
  id: string;
  email: string;
  role: string;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

export const listInvitations = tool({
  name: 'svc_list_invitations',
  domain: 'Workspace',
  title: 'List invitations',
  description: 'Lists open invitations. Next: svc_create_invitation or svc_revoke_invitation.',
  example: { input: {} },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, ...pageParams }),
  output: z.object({
    invitations: z.array(
      z.object({
        invitationId: z.string(),
        email: z.string(),
        role: z.string(),
        invitedBy: z.string(),
        createdAt: z.string(),
        expiresAt: z.string(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_invitations',
        input,
        { workspaceId: ctx.workspaceId },
        (position, fetch) =>
          tx.rows<Row>(
            `select id, email, role, invited_by, created_at, expires_at from invitation
             where workspace_id = $1 and accepted_at is null and revoked_at is null and expires_at > $2
               and ($3::bigint is null or (created_at, id) < ($3, $4::uuid))
             order by created_at desc, id desc limit $5`,
            [ctx.workspaceId, ctx.clocks.product.now(), position?.[0] ?? null, position?.[1] ?? null, fetch],
          ),
        (row) => [row.created_at, row.id],
      ),
    );
    const invitations = page.rows.map((row) => ({
      invitationId: row.id,
      email: row.email,
      role: row.role,
      invitedBy: row.invited_by,
      createdAt: iso(row.created_at),
      expiresAt: iso(row.expires_at),
    }));
    return { invitations, nextCursor: page.nextCursor };
  },
});
