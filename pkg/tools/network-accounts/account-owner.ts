import type { Tx } from '../../postgres/database.ts';
import type { Caller } from '../tool-context.ts';

/** The workspace that has been linked to an account for longest; null: none is there. */
export async function ownerOf(tx: Tx, accountId: string): Promise<string | null> {
  const row = await tx.row<{ owner: string | null }>('select app.account_owner($1) as owner', [accountId]);
  return row?.owner ?? null;
}

/** Whether a workspace of the caller is the account's owner; of one that nobody else has, everybody is. */
export function isOwner({ workspaces }: Caller, owner: string | null): boolean {
  return owner === null || workspaces.some(({ workspaceId }) => workspaceId === owner);
}
