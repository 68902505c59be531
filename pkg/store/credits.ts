import type { Tx } from '../postgres/database.ts';

/** One movement of a balance. Source: catalog records CreditTransaction, stateMachines.creditHold. */
export interface CreditMovement {
  id: string;
  workspaceId: string;
  kind: 'grant' | 'take';
  /** Signed credits. */
  amount: number;
  reason: string;
  tool: string;
  keyPrefix: string | null;
  /** Unique per workspace: the same key moves credits once. */
  idempotencyKey: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

export type CreditResult =
  | { kind: 'moved' | 'seen'; entryId: string; balance: number; amount: number }
  | { kind: 'short'; available: number };

/**
 * Moves credits through the ledger under the balance's row lock; available = balance - held never falls below 0.
 * The caller's transaction decides: a later failure undoes it.
 */
export async function moveCredits(tx: Tx, movement: CreditMovement): Promise<CreditResult> {
  await tx.exec('insert into credit_balance (workspace_id) values ($1) on conflict do nothing', [movement.workspaceId]);
  const held = await tx.row<{ balance: number; held: number }>(
    'select balance, held from credit_balance where workspace_id = $1 for update',
    [movement.workspaceId],
  );
  const { balance = 0, held: onHold = 0 } = held ?? {};
  const seen = await tx.row<{ id: string; amount: number; balance_after: number }>(
    'select id, amount, balance_after from credit_entry where workspace_id = $1 and idempotency_key = $2',
    [movement.workspaceId, movement.idempotencyKey],
  );
  if (seen) return { kind: 'seen', entryId: seen.id, balance, amount: seen.amount };
  const after = balance + movement.amount;
  if (after < onHold) return { kind: 'short', available: balance - onHold };
  await tx.exec('update credit_balance set balance = $2 where workspace_id = $1', [movement.workspaceId, after]);
  await tx.exec(
    `insert into credit_entry (id, workspace_id, kind, amount, balance_after, held_after, tool, key_prefix, reason, idempotency_key, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      movement.id,
      movement.workspaceId,
      movement.kind,
      movement.amount,
      after,
      onHold,
      movement.tool,
      movement.keyPrefix,
      movement.reason,
      movement.idempotencyKey,
      movement.now,
    ],
  );
  return { kind: 'moved', entryId: movement.id, balance: after, amount: movement.amount };
}
