import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { INVITATION_MS, newInvitationToken } from '../../store/tenancy/invitations.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requireManager, requireStillManager } from './require-manager.ts';

export const createInvitation = tool({
  name: 'svc_create_invitation',
  domain: 'Workspace',
  title: 'Invite member',
  description:
    'Invites an address to the workspace; inviting it again renews the invitation. Next: svc_list_invitations.',
  scope: 'workspace:write',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    email: z.email().max(320),
    role: z.enum(['admin', 'member', 'reviewer']).default('member'),
  }),
  output: z.object({ invitationId: z.string(), inviteUrl: z.string(), expiresAt: z.string() }),
  async run(ctx, { email, role }) {
    const { caller, workspaceId } = ctx;
    requireManager(caller, workspaceId, 'invite somebody');
    const now = ctx.clocks.product.now();
    const { token, hash } = newInvitationToken();
    return ctx.tx(async (tx) => {
      await requireStillManager(tx, caller, workspaceId, 'invite somebody');
      const member = await tx.row(
        `select 1
         from member m
         join app_user u on u.id = m.user_id
         where m.workspace_id = $1 and lower(u.email) = lower($2)`,
        [workspaceId, email],
      );
      if (member) throw new UserError(`${email} is a member already. Call svc_list_members.`, 'AlreadyMember');
      // The link of an invitation that is renewed stops working: only the newest is known by its hash.
      const row = await tx.row<{ id: string; expires_at: number }>(
        `insert into invitation as i (id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (workspace_id, lower(email))
           where accepted_at is null
             and revoked_at is null do update set role = excluded.role, token_hash
               = excluded.token_hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at
         returning id, expires_at`,
        [
          ctx.ids.uuid(),
          workspaceId,
          email,
          role,
          hash,
          caller.user?.email ?? caller.keyPrefix,
          now,
          now + INVITATION_MS,
        ],
      );
      if (!row) throw new Error('an invitation was made and is not there');
      const inviteUrl = `${ctx.ingressUrl}/invitations/${token}`;
      return { invitationId: row.id, inviteUrl, expiresAt: iso(row.expires_at) };
    });
  },
});
