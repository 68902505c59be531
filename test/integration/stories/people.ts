import { ALL_SCOPES } from '../../../pkg/domain/scopes.ts';
import type { McpTools, ToolUser } from '../../tools/mcp-tools.ts';

/**
 * People of a story, made as in life: workspaces, accounts and credits by an admin of the platform, members by
 * invitations. What no tool gives is the first key of a person, which the command line makes (`outrider keys`).
 */

/** An admin of the platform. */
export async function platformAdmin(tools: McpTools): Promise<ToolUser> {
  return withFirstKey(tools, await tools.mcp.user({ admin: true }));
}

/** A new workspace. @returns its id and its owner */
export async function openWorkspace(
  tools: McpTools,
  admin: ToolUser,
  name: string,
  more: { agencyId?: string; initialCredits?: number } = {},
): Promise<{ workspaceId: string; owner: ToolUser }> {
  const given = { name, ownerEmail: `owner@${name}.example`, ...more };
  const made = await admin.call<{ workspaceId: string; ownerUserId: string }>('svc_admin_create_workspace', given);
  return { workspaceId: made.workspaceId, owner: await withFirstKey(tools, made.ownerUserId) };
}

/** Somebody with a new key of a workspace. @param scopes default: all that its owner may give */
export async function withKeyOf(
  tools: McpTools,
  owner: ToolUser,
  workspaceId: string,
  scopes: readonly string[] = ALL_SCOPES.filter((scope) => !scope.startsWith('admin:')),
): Promise<ToolUser> {
  const { key } = await owner.call<{ key: string }>('svc_create_api_key', { workspaceId, name: 'Story', scopes });
  return tools.user(await tools.mcp.client(key));
}

/** A healthy account that sends for these workspaces. @returns its id */
export async function connectAccount(admin: ToolUser, workspaceIds: readonly string[]): Promise<string> {
  const [first, ...others] = workspaceIds;
  const account = { accountKind: 'network' };
  const { accountId } = await admin.call<{ accountId: string }>('svc_admin_link_account', {
    ...account,
    action: 'register',
    workspaceId: first,
  });
  for (const workspaceId of others)
    await admin.call('svc_admin_link_account', { ...account, action: 'link', accountId, workspaceId });
  return accountId;
}

/** Invites an address and accepts. @param userKey theirs, needed once the address is known @returns the user's key */
export async function join(owner: ToolUser, workspaceId: string, email: string, userKey?: string): Promise<string> {
  const { inviteUrl } = await owner.call<{ inviteUrl: string }>('svc_create_invitation', { workspaceId, email });
  const answer = await fetch(inviteUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(userKey ? { authorization: `Bearer ${userKey}` } : {}) },
    body: JSON.stringify({ name: email }),
    signal: AbortSignal.timeout(10_000),
  });
  if (answer.status !== 200) throw new Error(`${email} could not join: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { key?: string }).key ?? userKey ?? '';
}

export interface FoundLead {
  leadId: string;
  firstName: string;
  tags: string[];
}

/** Everybody whom a search finds, page after page. */
export async function searchAll(user: ToolUser, input: object): Promise<FoundLead[]> {
  const found: FoundLead[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: { leads: FoundLead[]; nextCursor: string | null } = await user.call('svc_search_leads', {
      ...input,
      limit: 100,
      ...(cursor ? { cursor } : {}),
    });
    found.push(...page.leads);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}

async function withFirstKey(tools: McpTools, userId: string): Promise<ToolUser> {
  const { plaintext } = await tools.mcp.key({ userId });
  return tools.user(await tools.mcp.client(plaintext));
}
