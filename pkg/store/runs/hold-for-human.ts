import type { Tx } from '../../postgres/database.ts';

/** Somebody writes to a person by hand. */
export interface HumanWrites {
  /** Epoch ms, product time, as `at`: when they wrote. */
  now: number;
  accountId: string;
  /** Who are one human to the account. */
  personIds: readonly string[];
  at: number;
  /** Who, as the history of their workspace tells it; null: nobody knows, it was elsewhere. */
  by: { workspaceId: string; actor: string } | null;
}

/**
 * Holds the runs of the person in every workspace of the account until a person resumes them: human and robot never talk at once.
 * @returns how many it holds now
 */
export async function holdForHuman(tx: Tx, { now, accountId, personIds, at, by }: HumanWrites): Promise<number> {
  const row = await tx.row<{ held: number }>('select app.hold_for_human($1, $2, $3::uuid[], $4, $5, $6) as held', [
    now,
    accountId,
    personIds,
    at,
    by?.workspaceId ?? null,
    by?.actor ?? null,
  ]);
  return row?.held ?? 0;
}
