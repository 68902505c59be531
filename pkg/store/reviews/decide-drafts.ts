import type { Tx } from '../../postgres/database.ts';

/** Who decided about a draft, and when (epoch ms UTC, product time). */
export interface Decision {
  by: string;
  now: number;
}

/** Keeps another text of a draft; subject null: it stays. */
export async function editDraft(
  tx: Tx,
  id: string,
  text: { body: string; subject: string | null; version: number; riskFlags: readonly string[] },
): Promise<void> {
  await tx.exec(
    `update review_item
     set body = $2, subject = coalesce($3, subject), version = $4, risk_flags = $5
     where id = $1`,
    [id, text.body, text.subject, text.version, text.riskFlags],
  );
}

export async function approveDraft(tx: Tx, id: string, { by, now }: Decision): Promise<void> {
  await tx.exec(`update review_item set state = 'approved', decided_by = $2, decided_at = $3 where id = $1`, [
    id,
    by,
    now,
  ]);
}

/** @param then what becomes of the lead; the engine carries it out */
export async function rejectDraft(
  tx: Tx,
  id: string,
  { by, now, reason, then }: Decision & { reason: string; then: 'skip_step' | 'recraft' | 'stop_lead' },
): Promise<void> {
  await tx.exec(
    `update review_item
     set
       state = 'rejected',
       decided_by = $2,
       decided_at = $3,
       reason = $4,
       on_reject = $5
     where id = $1`,
    [id, by, now, reason, then],
  );
}
