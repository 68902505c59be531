import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { revokeInvitationRow } from '../../store/tenancy/invitations.ts';
import { notFound, wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { requireManager } from './require-manager.ts';

export const revokeInvitation = tool({
  name: 'svc_revoke_invitation',
  domain: 'Workspace',
  title: 'Revoke invitation',
  description: 'Withdraws an open invitation. Next: svc_list_invitations.',
  example: { input: { invitationId: '$invitationId' }, caller: 'owner' },
  scope: 'workspace:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ invitationId: z.string().min(1) }),
  output: z.object({ invitationId: z.string(), revoked: z.boolean() }),
  async run(ctx, { invitationId }) {
    return ctx.tx(async (tx) => {
      const row = isUuid(invitationId)
        ? await tx.row<{ workspace_id: string; accepted_at: number | null }>(
            'select workspace_id, accepted_at from invitation where id = $1 for update',
            [invitationId],
          )
        : undefined;
      if (!row) throw notFound('invitation', invitationId);
      requireManager(ctx.caller, row.workspace_id, 'withdraw invitations');
      if (row.accepted_at !== null) throw wrongState('The invitation was accepted already', 'svc_list_members');
      await revokeInvitationRow(tx, invitationId, ctx.clocks.product.now());
      return { invitationId, revoked: true };
    });
  },
});
