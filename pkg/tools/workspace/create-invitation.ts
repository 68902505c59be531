import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { TENANT_SCOPES } from '../../domain/scopes.ts';
import type { Tx } from '../../postgres/database.ts';
import { keepInvitation, newInvitationToken } from '../../store/tenancy/invitations.ts';
import { actorOf } from '../actor-of.ts';
import { apiKeyOf } from '../api-key-of.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { requireManager, requireStillManager } from './require-manager.ts';

export const createInvitation = tool({
  name: 'svc_create_invitation',
  domain: 'Workspace',
  title: 'Invite member',
  description:
    'Invites an address to the workspace; inviting it again renews the invitation. Where mail is set up the link is mailed and is not in the answer; accepting by it proves the address. Next: svc_list_invitations.',
  example: {
    input: { workspaceId: '$workspaceId', email: 'new@acorn.example', role: 'member' },
    keep: { invitationId: 'invitationId' },
    caller: 'owner',
  },
  scope: 'workspace:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    email: z.email().max(320),
    role: z.enum(['admin', 'member', 'reviewer']).default('member'),
  }),
  output: z.object({
    invitationId: z.string(),
    inviteUrl: z.string().nullable(),
    delivery: z.enum(['mail', 'link']),
    note: z.string(),
    expiresAt: z.string(),
  }),
  async run(ctx, { email, role }) {
    const { caller, mail, workspaceId } = ctx;
    requireManager(caller, workspaceId, 'invite somebody');
    const now = ctx.clocks.product.now();
    const { token, hash } = newInvitationToken();
    const link = `${ctx.ingressUrl}/invitations/${token}`;
    return ctx.tx(async (tx) => {
      await requireStillManager(tx, caller, workspaceId, 'invite somebody');
      await requireNoMember(tx, workspaceId, email, mail !== undefined);
      const by = actorOf({ caller });
      const row = await keepInvitation(tx, {
        id: ctx.ids.uuid(),
        workspaceId,
        email,
        role,
        hash,
        by,
        scopes: TENANT_SCOPES.filter((scope) => caller.scopes.has(scope)),
        inviterKey: apiKeyOf(caller),
        mailed: mail !== undefined,
        now,
      });
      const answer = { invitationId: row.id, expiresAt: iso(row.expiresAt) };
      if (!mail) return { ...answer, inviteUrl: link, delivery: 'link' as const, note: BY_LINK };
      if (row.kept) {
        await mail.queue(tx, {
          kind: 'invitation',
          idempotencyKey: `invitation/${row.id}/${hash.toString('hex')}`,
          workspaceId,
          to: email,
          params: {
            workspaceName: await nameOf(tx, workspaceId),
            inviter: by,
            role,
            expiresAt: answer.expiresAt,
          },
          link,
          now,
          expiresAt: row.expiresAt,
        });
      }
      return { ...answer, inviteUrl: null, delivery: 'mail' as const, note: BY_MAIL };
    });
  },
});

const BY_LINK =
  'No mail is set up, so nothing proves the address: hand the link over yourself. Who accepts by it is an unproven member, with the scopes of this key at most.';
const BY_MAIL = 'The link is mailed to the address and stands nowhere else: accepting by it proves the address.';

/** A member whose address nothing proved may be invited by mail, which proves it. @throws UserError */
async function requireNoMember(tx: Tx, workspaceId: string, email: string, byMail: boolean): Promise<void> {
  const member = await tx.row(
    `select 1
     from member m
     join app_user u on u.id = m.user_id
     where m.workspace_id = $1 and lower(u.email) = lower($2) and not ($3 and u.unproven)`,
    [workspaceId, email, byMail],
  );
  if (member) throw new UserError(`${email} is a member already. Call svc_list_members.`, 'AlreadyMember');
}

async function nameOf(tx: Tx, workspaceId: string): Promise<string> {
  const row = await tx.row<{ name: string }>('select name from workspace where id = $1', [workspaceId]);
  return row?.name ?? workspaceId;
}
