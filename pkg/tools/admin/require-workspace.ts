import type { Tx } from '../../postgres/database.ts';
import { notFound, wrongState } from '../errors.ts';

/** @throws UserError not found; a deleted workspace counts as not found, unless the caller asks for deleted ones too */
export async function requireAdminWorkspace(tx: Tx, workspaceId: string, which?: 'deleted too'): Promise<void> {
  const found = await tx.row('select 1 from workspace where id = $1 and (deleted_at is null or $2)', [
    workspaceId,
    which !== undefined,
  ]);
  if (!found) throw notFound('adminWorkspace', workspaceId);
}

/** @throws UserError not found, or marked for deletion */
export async function requireUnmarked(tx: Tx, workspaceId: string): Promise<void> {
  const found = await tx.row<{ erase_at: number | null }>(
    'select erase_at from workspace where id = $1 and deleted_at is null',
    [workspaceId],
  );
  if (!found) throw notFound('adminWorkspace', workspaceId);
  if (found.erase_at === null) return;
  throw wrongState(
    `Workspace "${workspaceId}" is marked for deletion and cannot be changed`,
    'svc_admin_delete_workspace with cancel: true first, which takes the mark back',
  );
}

/** @throws UserError not found */
export async function requireNetworkAccount(tx: Tx, accountId: string): Promise<void> {
  const found = await tx.row('select 1 from network_account where id = $1', [accountId]);
  if (!found) throw notFound('networkAccount', accountId);
}
