import { UserError } from '../base/errors.ts';
import { roleAllows } from '../domain/role-scopes.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller } from '../tools/tool-context.ts';

/** What is left of a caller for one tool. */
export interface WithinRoles {
  /** Sees only the workspaces where their role leaves them the tool. */
  caller: Caller;
  /** Where it does not, as a text for who asks in vain; '' when it does everywhere. */
  hint: string;
}

/**
 * A user key works in all workspaces of its user, and the role there may be less than the key.
 * @throws UserError when the workspace that is named is one of those, or all are
 */
export function withinRoles(tool: AnyTool, caller: Caller, input: Record<string, unknown>): WithinRoles {
  const free = tool.anyRole || tool.workspace === 'none' || tool.workspace === 'platform' || caller.keyType !== 'user';
  if (free || caller.workspaces.every(({ role }) => roleAllows(role, tool))) return { caller, hint: '' };
  const kept = caller.workspaces.filter(({ role }) => roleAllows(role, tool));
  const barred = caller.workspaces.filter((entry) => !kept.includes(entry));
  const named = barred.find(({ workspaceId }) => workspaceId === input['workspaceId']);
  const [first] = named ? [named] : barred;
  const hint = first
    ? `Your role in workspace "${first.workspaceId}" is ${first.role}, which reads and decides drafts only. Call svc_list_members to see who can change that.`
    : '';
  if (named || kept.length === 0) throw new UserError(hint, 'Role');
  return { caller: { ...caller, workspaces: kept }, hint };
}
