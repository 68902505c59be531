import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';

/** @throws UserError not found; a deleted workspace counts as not found, unless the caller asks for deleted ones too */
export async function requireAdminWorkspace(tx: Tx, workspaceId: string, which?: 'deleted too'): Promise<void> {
  const found = await tx.row('select 1 from workspace where id = $1 and (deleted_at is null or $2)', [
    workspaceId,
    which !== undefined,
  ]);
  if (!found) throw notFound('adminWorkspace', workspaceId);
}

/** @throws UserError not found */
export async function requireNetworkAccount(tx: Tx, accountId: string): Promise<void> {
  const found = await tx.row('select 1 from network_account where id = $1', [accountId]);
  if (!found) throw notFound('networkAccount', accountId);
}
