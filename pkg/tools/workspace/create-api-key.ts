import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { ALL_SCOPES, isAdminScope } from '../../domain/scopes.ts';
import type { Tx } from '../../postgres/database.ts';
import { areThere } from '../../store/idempotency/answers.ts';
import { countLiveKeys, createApiKey, renewUnusedKey } from '../../store/tenancy/api-keys.ts';
import { tool } from '../tool.ts';
import type { Caller } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';

export const createApiKeyTool = tool({
  name: 'svc_create_api_key',
  domain: 'Workspace',
  title: 'Create API key',
  description:
    'Creates a key with an explicit scope list; the plaintext is in this answer only. Next: svc_whoami with the new key.',
  example: {
    input: { workspaceId: '$workspaceId', name: 'Reports', scopes: ['campaigns:read'] },
    keep: { apiKeyId: 'apiKeyId' },
    caller: 'owner',
  },
  scope: 'workspace:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    name: z.string().min(1).max(120),
    scopes: z.array(z.string()).min(1).describe('{domain}:{action} strings; each must be held by the caller.'),
    keyType: z.enum(['workspace', 'user']).default('workspace'),
  }),
  output: z.object({ apiKeyId: z.string(), key: z.string(), keyPrefix: z.string(), scopes: z.array(z.string()) }),
  async run(ctx, input) {
    const { caller } = ctx;
    const scopes = [...new Set(input.scopes)];
    requireScopes(caller, input.keyType, scopes);
    requireOwner(caller, ctx.workspaceId, input.keyType);
    return ctx.repeatable<Answer>(ctx.workspaceId, {
      work: async (tx, earlier) => {
        const before = earlier && (await madeBefore(tx, earlier, input.keyType));
        if (before) return before;
        const owner = {
          userId: caller.user?.id ?? null,
          workspaceId: input.keyType === 'workspace' ? ctx.workspaceId : null,
        };
        await requireRoom(tx, owner, ctx.maxKeys);
        const created = await createApiKey(tx, {
          id: ctx.ids.uuid(),
          keyType: input.keyType,
          ...owner,
          name: input.name,
          scopes,
          createdBy: caller.user?.id ?? '',
          ...(input.keyType === 'user' ? await boundsOf(tx, caller) : {}),
          now: ctx.clocks.product.now(),
        });
        return { apiKeyId: created.apiKeyId, key: created.plaintext, keyPrefix: created.keyPrefix, scopes };
      },
      did: () => true,
    });
  },
});

/** Limits per key bind nobody who has keys without number. @throws UserError when there are as many as there may be */
async function requireRoom(tx: Tx, owner: Parameters<typeof countLiveKeys>[1], most: number): Promise<void> {
  if ((await countLiveKeys(tx, owner)) < most) return;
  const whose = owner.workspaceId === null ? 'A user' : 'A workspace';
  throw new UserError(
    `${whose} has at most ${most} live keys. Call svc_list_api_keys to find one that is not used, and revoke it with svc_revoke_api_key.`,
    'TooManyKeys',
  );
}

interface Answer {
  apiKeyId: string;
  key: string;
  keyPrefix: string;
  scopes: string[];
}

/**
 * The key of the same call a moment ago. Its plaintext was lost with the answer, and is kept nowhere: until the key is used, it gets
 * another one. @returns undefined when it is revoked
 */
async function madeBefore(tx: Tx, earlier: Answer, keyType: 'workspace' | 'user'): Promise<Answer | undefined> {
  if (!(await areThere(tx, [{ record: 'api_key', id: earlier.apiKeyId }]))) return undefined;
  const renewed = await renewUnusedKey(tx, { id: earlier.apiKeyId, keyType });
  return renewed ? { ...earlier, key: renewed.plaintext, keyPrefix: renewed.keyPrefix } : earlier;
}

/** A key that opens some workspaces of its user makes none that opens more. */
async function boundsOf(tx: Tx, caller: Caller): Promise<{ onlyWorkspaces?: string[] }> {
  if (caller.keyType !== 'user') return {};
  const row = await tx.row<{ bounds: string[] | null }>('select only_workspaces as bounds from api_key where id = $1', [
    caller.keyId,
  ]);
  return row?.bounds ? { onlyWorkspaces: row.bounds } : {};
}

/** Scopes that a refusal names at most. */
const MOST_NAMED = 10;

/** @throws UserError that says of each scope why this key can't give it, and which it can */
function requireScopes(caller: Caller, keyType: 'workspace' | 'user', scopes: readonly string[]): void {
  const refused = scopes.flatMap((scope) => {
    const why = whyNot(caller, keyType, scope);
    return why === undefined ? [] : [`Scope "${scope.slice(0, 60)}" can't be given to a key: ${why}`];
  });
  if (refused.length === 0) return;
  const more = refused.length > MOST_NAMED ? ` ${refused.length - MOST_NAMED} more can't either.` : '';
  const gives = ALL_SCOPES.filter((scope) => whyNot(caller, keyType, scope) === undefined);
  throw new UserError(
    `${refused.slice(0, MOST_NAMED).join('. ')}.${more} This key gives ${gives.join(', ') || 'none'}. Call svc_whoami to see the scopes of this key.`,
    'Scope',
  );
}

/** Why a caller gives no key of this type the scope; undefined when they may. Source: specification, Authentication 5. */
function whyNot(caller: Caller, keyType: 'workspace' | 'user', scope: string): string | undefined {
  const known: readonly string[] = ALL_SCOPES;
  if (scope === '*') return 'keys always carry an explicit list';
  if (!known.includes(scope)) return 'it is unknown';
  if (isAdminScope(scope) && keyType === 'workspace') return "a workspace key never holds the platform's scopes";
  if (isAdminScope(scope) && !caller.userIsPlatformAdmin) return 'only platform admins can give it';
  if (!caller.scopes.has(scope)) return 'this key does not hold it';
  return undefined;
}

/** Only the owner, with a user key, makes workspace keys. Source: specification, Authentication. */
function requireOwner(caller: Caller, workspaceId: string, keyType: 'workspace' | 'user'): void {
  const owner = caller.workspaces.some((entry) => entry.workspaceId === workspaceId && entry.role === 'owner');
  const allowed = caller.user !== null && caller.keyType !== 'workspace' && (keyType === 'user' || owner);
  if (allowed) return;
  throw new UserError(
    'Only the workspace owner, with a user key, can create workspace keys. Call svc_list_members to see who that is.',
    'NotOwner',
  );
}
