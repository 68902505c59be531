import { UserError } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';

/**
 * A home whose product clock ever ran ahead of real time is a rehearsal, for ever: its history is of a time that has not
 * come, so nothing of it may reach real people.
 */
export async function markRehearsal(tx: Tx): Promise<void> {
  await tx.exec('update installation set rehearsal = true where not rehearsal');
}

/** Accounts of real providers that are linked to a workspace. */
export async function countRealAccounts(tx: Tx): Promise<number> {
  const row = await tx.row<{ count: number }>(
    `select count(*)::int as count from network_account a
     where a.provider <> 'sandbox' and exists (select 1 from account_link l where l.account_id = a.id)`,
  );
  return row?.count ?? 0;
}

/** @throws UserError when the account is of a real provider and this home is a rehearsal */
export async function refuseInRehearsal(tx: Tx, accountId: string): Promise<void> {
  const row = await tx.row(
    `select 1
     from network_account a
     cross join installation i
     where a.id = $1 and a.provider <> 'sandbox' and i.rehearsal`,
    [accountId],
  );
  if (!row) return;
  throw new UserError(
    'This installation is a rehearsal: its clock once ran ahead of real time, so real provider accounts are refused. Start a new one for them (make run OUTRIDER_HOME=<new folder>) and leave its clock alone; accounts of the sandbox can be linked here.',
    'Rehearsal',
  );
}
