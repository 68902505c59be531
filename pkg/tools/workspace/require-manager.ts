import { UserError } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Caller } from '../tool-context.ts';

/**
 * Settings, members and invitations are the owner's and the admins'; a workspace key with the scope was made by the
 * owner and acts for them.
 * @param what completes "Only the owner or an admin of the workspace can …"
 * @throws UserError naming svc_list_members
 */
export function requireManager(caller: Caller, workspaceId: string, what: string): void {
  if (caller.keyType !== 'user') return;
  requireRole(caller.workspaces.find((entry) => entry.workspaceId === workspaceId)?.role, what);
}

function requireRole(role: string | undefined, what: string): void {
  if (role === 'owner' || role === 'admin') return;
  throw new UserError(
    `Only the owner or an admin of the workspace can ${what}. Call svc_list_members to see who that is.`,
    'NotManager',
  );
}

/**
 * As `requireManager`, by what is in force when the transaction commits: what somebody hands out who is removed at this moment would
 * outlive them.
 */
export async function requireStillManager(
  tx: Tx,
  { user, keyType }: Caller,
  workspaceId: string,
  what: string,
): Promise<void> {
  if (keyType !== 'user') return;
  const member = await tx.row<{ role: string }>(
    'select role from member where workspace_id = $1 and user_id = $2 for share',
    [workspaceId, user?.id],
  );
  requireRole(member?.role, what);
}
