import { z } from 'zod';
import { opensNoMore } from '../../store/tenancy/api-keys.ts';
import { type CompactForm, detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Catalog record ApiKey. */
const apiKey = z.object({
  apiKeyId: z.string(),
  name: z.string(),
  keyType: z.string(),
  keyPrefix: z.string(),
  scopes: z.array(z.string()),
  scopeCount: z.number(),
  createdBy: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
});

/** Whose key it is and whether it is used; a key has up to 30 scopes, which `detail: full` names. */
const KEY_FORM: CompactForm = {
  id: 'apiKeyId',
  known: Object.keys(apiKey.shape),
  kept: ['name', 'keyType', 'keyPrefix', 'scopeCount', 'createdBy', 'createdAt', 'lastUsedAt'],
};

interface Row {
  id: string;
  name: string;
  key_type: string;
  key_prefix: string;
  scopes: string[];
  creator: string | null;
  created_at: number;
  last_used_at: number | null;
}

export const listApiKeys = tool({
  name: 'svc_list_api_keys',
  domain: 'Workspace',
  title: 'List API keys',
  description:
    'Lists active keys: name, prefix, scopes, last use; revoked ones do not appear. Next: svc_create_api_key or svc_revoke_api_key.',
  example: { input: {} },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    keyType: z.enum(['workspace', 'user']).default('workspace'),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({
    apiKeys: z.array(apiKey.partial().required({ apiKeyId: true })),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const owner = input.keyType === 'workspace' ? ctx.workspaceId : (ctx.caller.user?.id ?? '');
    const column = input.keyType === 'workspace' ? 'k.workspace_id' : 'k.user_id::text';
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_api_keys',
        input,
        { owner, keyType: input.keyType },
        (position, fetch) =>
          tx.rows<Row>(
            `select
               k.id, k.name, k.key_type, k.key_prefix, k.scopes, u.email as creator, k.created_at,
               k.last_used_at
             from api_key k
             left join app_user u on u.id = k.created_by
             where ${column} = $1
               and k.revoked_at is null
               and (k.user_id is null or ${opensNoMore('$5')})
               and ($2::bigint is null or (k.created_at, k.id) < ($2, $3::uuid))
             order by k.created_at desc, k.id desc limit $4`,
            [owner, position?.[0] ?? null, position?.[1] ?? null, fetch, ctx.caller.keyId],
          ),
        (row) => [row.created_at, row.id],
      ),
    );
    const shape = shaper(KEY_FORM, input);
    const apiKeys = page.rows.map((row) => ({ ...shape(keyOf(row)), apiKeyId: row.id }));
    return { apiKeys, nextCursor: page.nextCursor };
  },
});

function keyOf(row: Row): z.input<typeof apiKey> {
  return {
    apiKeyId: row.id,
    name: row.name,
    keyType: row.key_type,
    keyPrefix: row.key_prefix,
    scopes: row.scopes,
    scopeCount: row.scopes.length,
    createdBy: row.creator ?? '',
    createdAt: iso(row.created_at),
    lastUsedAt: isoOrNull(row.last_used_at),
  };
}
