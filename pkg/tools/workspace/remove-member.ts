import { z } from 'zod';
import { endOwnEndpoints } from '../../store/notifications/own-endpoints.ts';
import { withdrawInvitations } from '../../store/tenancy/invitations.ts';
import { removeMemberRow } from '../../store/tenancy/members.ts';
import { wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requireMember } from './member-row.ts';
import { requireManager } from './require-manager.ts';

export const removeMember = tool({
  name: 'svc_remove_member',
  domain: 'Workspace',
  title: 'Remove member',
  description: 'Removes a member; their user key stops working here at once. Next: svc_list_members.',
  example: { input: { workspaceId: '$workspaceId', memberId: '$memberId' }, caller: 'owner' },
  scope: 'workspace:write',
  anyRole: true,
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, memberId: z.string().min(1) }),
  output: z.object({ memberId: z.string(), removed: z.boolean() }),
  async run(ctx, { memberId }) {
    return ctx.tx(async (tx) => {
      const member = await requireMember(tx, memberId);
      const self = ctx.caller.user?.id === member.user_id;
      if (!self) requireManager(ctx.caller, member.workspace_id, 'remove others');
      if (member.role === 'owner') {
        throw wrongState('The owner cannot be removed; make another member owner first', 'svc_update_member_role');
      }
      await endOwnEndpoints(tx, member.workspace_id, member.user_id, ctx.clocks.product.now());
      await removeMemberRow(tx, memberId);
      const { workspace_id: workspaceId, email: inviter } = member;
      await withdrawInvitations(tx, { workspaceId, inviter, gone: true, now: ctx.clocks.product.now() });
      return { memberId, removed: true };
    });
  },
});
