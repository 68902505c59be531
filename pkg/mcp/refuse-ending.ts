import { UserError } from '../base/errors.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Caller } from '../tools/tool-context.ts';

/**
 * A workspace that is marked for deletion is closed to its members: nothing is read, written or made in it any more. Tools of the
 * platform and those that are about no workspace go on.
 * @throws UserError when the call names such a workspace, or its caller has no other
 */
export function refuseEnding(tool: Pick<AnyTool, 'workspace'>, caller: Caller, input: Record<string, unknown>): void {
  const { ending = [], workspaces } = caller;
  if (ending.length === 0 || tool.workspace === 'none' || tool.workspace === 'platform') return;
  const named = ending.find(({ workspaceId }) => workspaceId === input['workspaceId']);
  const refused = named ?? (workspaces.length === 0 ? ending[0] : undefined);
  if (!refused) return;
  throw new UserError(
    `Workspace "${refused.workspaceId}" is marked for deletion and is erased after ${new Date(refused.eraseAt).toISOString()}. Nothing in it can be read or changed until a platform admin takes the mark back with svc_admin_delete_workspace (cancel: true).`,
    'WrongState',
  );
}
