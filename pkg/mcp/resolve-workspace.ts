import { UserError } from '../base/errors.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller } from '../tools/tool-context.ts';

const MISSING = 'Invalid input: workspaceId is required with a user key. Call svc_whoami to list your workspaces.';

/**
 * Finds the workspace of a call. Source: specification, Authentication 4; texts: catalog `commonErrors`.
 * @returns '' where a record decides
 * @throws UserError on a mismatch
 */
export function resolveWorkspace(tool: AnyTool, caller: Caller, input: Record<string, unknown>): string {
  if (tool.workspace !== 'param' && tool.workspace !== 'param_or_campaign') return '';
  const given = typeof input['workspaceId'] === 'string' ? input['workspaceId'] : undefined;
  const own = caller.keyType === 'user' ? undefined : caller.workspaces[0]?.workspaceId;
  if (own !== undefined) {
    if (given !== undefined && given !== own)
      throw new UserError('This key is bound to another workspace. Omit workspaceId.', 'WorkspaceMismatch');
    return own;
  }
  if (given === undefined) {
    if (tool.workspace === 'param_or_campaign' && input['campaignId'] !== undefined) return '';
    throw new UserError(MISSING, 'WorkspaceMissing');
  }
  if (caller.workspaces.some((entry) => entry.workspaceId === given)) return given;
  const shown = given.replace(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, 100);
  throw new UserError(`You are not a member of workspace "${shown}". Pass a workspaceId from svc_whoami.`, 'NotMember');
}
