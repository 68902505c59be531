import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { revokeKey } from '../../store/tenancy/api-keys.ts';
import { withdrawInvitations, withdrawInvitationsOfKey } from '../../store/tenancy/invitations.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';

export const revokeApiKey = tool({
  name: 'svc_revoke_api_key',
  domain: 'Workspace',
  title: 'Revoke API key',
  description:
    'Revokes a key for good; any member may revoke a workspace key. Tells whom it invited, withdraws what of it is open. Next: svc_list_api_keys.',
  example: { input: { apiKeyId: '$apiKeyId' } },
  scope: 'workspace:write',
  anyRole: true,
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ apiKeyId: z.string().min(1) }),
  output: z.object({
    apiKeyId: z.string(),
    revokedAt: z.string(),
    membersMade: z.array(
      z.object({
        memberId: z.string(),
        workspaceId: z.string(),
        email: z.string(),
        role: z.string(),
        proven: z.boolean(),
      }),
    ),
  }),
  async run(ctx, input) {
    if (!isUuid(input.apiKeyId)) throw notFound('apiKey', input.apiKeyId);
    const workspaces = ctx.caller.workspaces.map((entry) => entry.workspaceId);
    const row = await ctx.tx(async (tx) => {
      const by = {
        workspaces,
        userId: ctx.caller.user?.id ?? null,
        keyId: ctx.caller.keyId,
        now: ctx.clocks.product.now(),
      };
      const revoked = await revokeKey(tx, input.apiKeyId, by);
      if (!revoked) return undefined;
      if (revoked.workspaceId) {
        const of = { workspaceId: revoked.workspaceId, inviter: revoked.keyPrefix, gone: false };
        await withdrawInvitations(tx, { ...of, now: by.now });
      }
      await withdrawInvitationsOfKey(tx, input.apiKeyId, by.now);
      return { ...revoked, membersMade: await membersMadeBy(tx, input.apiKeyId) };
    });
    if (!row) throw notFound('apiKey', input.apiKeyId);
    return { apiKeyId: input.apiKeyId, revokedAt: iso(row.revokedAt), membersMade: row.membersMade };
  },
});

/** Members that are told at most; the list of members tells all. */
const MOST_MEMBERS = 1_000;

/** The one who had a key that leaked may have invited themselves by it: a person decides who of them stays. */
function membersMadeBy(
  tx: Tx,
  keyId: string,
): Promise<{ memberId: string; workspaceId: string; email: string; role: string; proven: boolean }[]> {
  return tx.rows(
    `select m.id as "memberId", m.workspace_id as "workspaceId", u.email, m.role, not u.unproven as proven
     from member m
     join app_user u on u.id = m.user_id
     where m.made_by_key = $1
     order by m.joined_at, m.id
     limit ${MOST_MEMBERS}`,
    [keyId],
  );
}
