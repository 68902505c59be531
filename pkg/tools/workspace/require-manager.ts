import { UserError } from '../../base/errors.ts';
import type { Caller } from '../tool-context.ts';

/**
 * Settings, members and invitations are the owner's and the admins'; a workspace key with the scope was made by the
 * owner and acts for them.
 * @param what completes "Only the owner or an admin of the workspace can …"
 * @throws UserError naming svc_list_members
 */
export function requireManager(caller: Caller, workspaceId: string, what: string): void {
  if (caller.keyType !== 'user') return;
  const role = caller.workspaces.find((entry) => entry.workspaceId === workspaceId)?.role;
  if (role === 'owner' || role === 'admin') return;
  throw new UserError(
    `Only the owner or an admin of the workspace can ${what}. Call svc_list_members to see who that is.`,
    'NotManager',
  );
}
