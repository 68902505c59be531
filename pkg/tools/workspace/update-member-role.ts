import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { MEMBER_ROLES } from '../../domain/vocabulary.ts';
import { withdrawInvitations } from '../../store/tenancy/invitations.ts';
import { changeRole } from '../../store/tenancy/members.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { type MemberRow, requireMember } from './member-row.ts';

export const updateMemberRole = tool({
  name: 'svc_update_member_role',
  domain: 'Workspace',
  title: 'Update member role',
  description: "Changes a member's role; making somebody owner hands ownership over. Next: svc_list_members.",
  example: { input: { workspaceId: '$workspaceId', memberId: '$memberId', role: 'reviewer' }, caller: 'owner' },
  scope: 'workspace:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, memberId: z.string().min(1), role: z.enum(MEMBER_ROLES) }),
  output: z.object({ memberId: z.string(), role: z.string() }),
  async run(ctx, { memberId, role }) {
    const member = await ctx.tx(async (tx) => {
      const found = await requireMember(tx, memberId);
      requireOwner(ctx, found.workspace_id);
      if (found.role === 'owner' && role !== 'owner') {
        throw new UserError(
          'The workspace would be left without an owner; make another member owner instead. Call svc_list_members.',
          'LastOwner',
        );
      }
      if (role === 'owner' && found.unproven) throw unprovenOwner(found);
      if (role === 'owner') return found;
      await changeRole(tx, memberId, role);
      if (role !== 'admin') {
        const { workspace_id: workspaceId, email: inviter } = found;
        await withdrawInvitations(tx, { workspaceId, inviter, gone: false, now: ctx.clocks.product.now() });
      }
      return found;
    });
    if (role === 'owner' && member.role !== 'owner') await handOver(ctx, member);
    return { memberId, role };
  },
});

/** Roles are the owner's alone: an admin who could give them could make themselves owner. */
function requireOwner({ caller }: ToolContext, workspaceId: string): void {
  const role = caller.workspaces.find((entry) => entry.workspaceId === workspaceId)?.role;
  if (caller.keyType !== 'workspace' && role === 'owner') return;
  throw new UserError(
    'Only the owner, with a user key, can change roles. Call svc_list_members to see who that is.',
    'NotOwner',
  );
}

/** The owner is a field of the resource; the projection changes both memberships. */
function handOver(ctx: ToolContext, member: MemberRow): Promise<object> {
  return ctx.resources.update({
    kind: 'Workspace',
    workspaceId: member.workspace_id,
    id: member.workspace_id,
    change: (spec) => ({ ...spec, owner: member.email }),
    finish: async () => ({}),
  });
}

/** The owner is named by their address, and nothing proved that this member has it: somebody else's would own the workspace. */
function unprovenOwner({ email }: MemberRow): UserError {
  return new UserError(
    `Nothing proved that this member has the address ${email}, so they can't own the workspace. Where mail is set up, invite it with svc_create_invitation: accepting by the mailed link proves it. Else the platform's operator names the owner. Call svc_list_members.`,
    'Unproven',
  );
}
