import { UserError } from '../base/errors.ts';
import { roleAllows } from '../domain/role-scopes.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller, CallerWorkspace } from '../tools/tool-context.ts';

/** What is left of a caller for one tool. */
export interface WithinRoles {
  /** Sees only the workspaces where role and limit leave them the tool, and holds only the scopes that they have there. */
  caller: Caller;
  /** Where they do not, as a text for who asks in vain; '' when they do everywhere. */
  hint: string;
}

/**
 * A user key works in all workspaces of its user, and the role there may be less than the key, as may the scopes of a member whose
 * address nothing proved.
 * @throws UserError when the workspace that is named is one of those, or all are
 */
export function withinRoles(tool: AnyTool, caller: Caller, input: Record<string, unknown>): WithinRoles {
  if (tool.workspace === 'none' || tool.workspace === 'platform' || caller.keyType !== 'user')
    return { caller, hint: '' };
  const leaves = (entry: CallerWorkspace): boolean =>
    (tool.anyRole === true || roleAllows(entry.role, tool)) && limitAllows(entry, tool);
  if (caller.workspaces.every(leaves)) return { caller: withinLimits(caller, input), hint: '' };
  const kept = caller.workspaces.filter(leaves);
  const barred = caller.workspaces.filter((entry) => !kept.includes(entry));
  const named = barred.find(({ workspaceId }) => workspaceId === input['workspaceId']);
  const [first] = named ? [named] : barred;
  const hint = first ? whyBarred(first, tool) : '';
  if (first && (named || kept.length === 0)) throw new UserError(hint, limitAllows(first, tool) ? 'Role' : 'Scope');
  return { caller: withinLimits({ ...caller, workspaces: kept }, input), hint };
}

/** Whether a tool's scope is among those of a member with a limit. */
export function limitAllows({ scopeLimit }: CallerWorkspace, tool: Pick<AnyTool, 'scope' | 'partialScope'>): boolean {
  if (!scopeLimit || tool.scope === 'none') return true;
  return scopeLimit.includes(tool.scope) || (tool.partialScope !== undefined && scopeLimit.includes(tool.partialScope));
}

/** The scopes that hold in every workspace that the call may be about. */
function withinLimits(caller: Caller, input: Record<string, unknown>): Caller {
  if (caller.workspaces.every(({ scopeLimit }) => !scopeLimit)) return caller;
  const named = caller.workspaces.filter(({ workspaceId }) => workspaceId === input['workspaceId']);
  const about = named.length > 0 ? named : caller.workspaces;
  const holds = (scope: string): boolean => about.every(({ scopeLimit }) => !scopeLimit || scopeLimit.includes(scope));
  return { ...caller, scopes: new Set([...caller.scopes].filter(holds)) };
}

function whyBarred(entry: CallerWorkspace, tool: AnyTool): string {
  const { workspaceId, role, scopeLimit } = entry;
  if (scopeLimit && !limitAllows(entry, tool))
    return `Scope ${tool.scope} is required to call ${tool.name}, and in workspace "${workspaceId}" you have what your inviter had: ${scopeLimit.join(', ')}. Call svc_list_members to see who can invite you by mail, which proves your address.`;
  return `Your role in workspace "${workspaceId}" is ${role}, which reads and decides drafts only. Call svc_list_members to see who can change that.`;
}
