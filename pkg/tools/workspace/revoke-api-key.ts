import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { opensNoMore } from '../../store/tenancy/api-keys.ts';
import { withdrawInvitations } from '../../store/tenancy/invitations.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';

export const revokeApiKey = tool({
  name: 'svc_revoke_api_key',
  domain: 'Workspace',
  title: 'Revoke API key',
  description: 'Revokes a key for good; any member may revoke a workspace key. Next: svc_list_api_keys.',
  scope: 'workspace:write',
  anyRole: true,
  category: 'write',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ apiKeyId: z.string().min(1) }),
  output: z.object({ apiKeyId: z.string(), revokedAt: z.string() }),
  async run(ctx, input) {
    if (!isUuid(input.apiKeyId)) throw notFound('apiKey', input.apiKeyId);
    const workspaces = ctx.caller.workspaces.map((entry) => entry.workspaceId);
    const row = await ctx.tx(async (tx) => {
      const revoked = await tx.row<{ revoked_at: number; workspace_id: string | null; key_prefix: string }>(
        `update api_key k
         set revoked_at = coalesce(revoked_at, $2), generation = generation + 1
         where id = $1
           and (workspace_id = any ($3) or (user_id is not null and user_id::text = $4 and ${opensNoMore('$5')}))
         returning revoked_at, workspace_id, key_prefix`,
        [input.apiKeyId, ctx.clocks.product.now(), workspaces, ctx.caller.user?.id ?? '', ctx.caller.keyId],
      );
      // Whoever has a key that leaked may have invited themselves by it.
      if (revoked?.workspace_id) {
        const of = { workspaceId: revoked.workspace_id, inviter: revoked.key_prefix, gone: false };
        await withdrawInvitations(tx, { ...of, now: ctx.clocks.product.now() });
      }
      return revoked;
    });
    if (!row) throw notFound('apiKey', input.apiKeyId);
    return { apiKeyId: input.apiKeyId, revokedAt: iso(row.revoked_at) };
  },
});
