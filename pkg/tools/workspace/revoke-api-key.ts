import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { revokeKey } from '../../store/tenancy/api-keys.ts';
import { withdrawInvitations } from '../../store/tenancy/invitations.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';

export const revokeApiKey = tool({
  name: 'svc_revoke_api_key',
  domain: 'Workspace',
  title: 'Revoke API key',
  description: 'Revokes a key for good; any member may revoke a workspace key. Next: svc_list_api_keys.',
  example: { input: { apiKeyId: '$apiKeyId' } },
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
      const by = {
        workspaces,
        userId: ctx.caller.user?.id ?? null,
        keyId: ctx.caller.keyId,
        now: ctx.clocks.product.now(),
      };
      const revoked = await revokeKey(tx, input.apiKeyId, by);
      // Anyone who has a key that leaked may have invited themselves by it.
      if (revoked?.workspaceId) {
        const of = { workspaceId: revoked.workspaceId, inviter: revoked.keyPrefix, gone: false };
        await withdrawInvitations(tx, { ...of, now: ctx.clocks.product.now() });
      }
      return revoked;
    });
    if (!row) throw notFound('apiKey', input.apiKeyId);
    return { apiKeyId: input.apiKeyId, revokedAt: iso(row.revokedAt) };
  },
});
