import type { Tx } from '../../postgres/database.ts';

/** An action of an account as its provider lists it. */
export interface SeenAction {
  action: 'message' | 'inmail' | 'connection_request' | 'connection_request_with_note';
  /** The provider's id of the message or invitation. */
  ref: string;
  /** Whom it reached, when we know the person. */
  person: string | null;
  body: string | null;
  /** Epoch ms, product time. */
  at: number;
}

/** Counts actions that no send of ours explains against the account's budgets, each once. @returns units added */
export async function countByHand(
  tx: Tx,
  accountId: string,
  now: number,
  seen: readonly SeenAction[],
): Promise<number> {
  if (seen.length === 0) return 0;
  const row = await tx.row<{ units: number }>('select app.count_by_hand($1, $2, $3::jsonb) as units', [
    now,
    accountId,
    JSON.stringify(seen),
  ]);
  return row?.units ?? 0;
}
