import type { Tx } from '../../postgres/database.ts';

/** Whether a mail of ours carried this address (SHA-256 of its secret). */
export async function knowsUnsubscribe(tx: Tx, hash: Buffer): Promise<boolean> {
  return (await tx.row('select 1 from unsubscribe_token where token_hash = $1', [hash])) !== undefined;
}

/** Ends what the workspace plans for the person, for good; false for an address that nobody gave out. Repeating it is harmless. */
export async function unsubscribe(tx: Tx, now: number, hash: Buffer): Promise<boolean> {
  const row = await tx.row<{ known: boolean }>('select app.unsubscribe($1, $2) as known', [now, hash]);
  return row?.known ?? false;
}
