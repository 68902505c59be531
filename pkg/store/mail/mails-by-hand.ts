import type { Tx } from '../../postgres/database.ts';

/** When the folder of sent mails was looked at last (epoch ms, product time); 0: never. */
export async function readSentMark(tx: Tx, accountId: string): Promise<number> {
  const row = await tx.row<{ readAt: number | null }>(
    `select (sync_state ->> 'sentReadAt')::bigint as "readAt" from account_wake where account_id = $1`,
    [accountId],
  );
  return row?.readAt ?? 0;
}

export async function keepSentMark(tx: Tx, accountId: string, readAt: number): Promise<void> {
  await tx.exec('update account_wake set sync_state = sync_state || $2 where account_id = $1', [
    accountId,
    JSON.stringify({ sentReadAt: readAt }),
  ]);
}

/** Whom somebody wrote to by hand, of those with live runs, and when last (epoch ms). @param mails that no id of ours explains */
export function mailsByHand(
  tx: Tx,
  accountId: string,
  mails: readonly { to: string; at: number }[],
): Promise<{ personId: string; at: number }[]> {
  return tx.rows('select person_id as "personId", at from app.mails_by_hand($1, $2)', [
    accountId,
    JSON.stringify(mails),
  ]);
}
