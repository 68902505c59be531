import type { Tx } from '../../postgres/database.ts';

/** Answers that one call closes at most. */
export const CLOSED_AT_ONCE = 1_000;

/**
 * Closes drafts of answers about which nobody decided in time, and tells it (review.expired): no run waits for them that would. Platform
 * only.
 * @param now epoch ms, product time
 * @returns how many; as many as `CLOSED_AT_ONCE`: there may be more
 */
export async function closeExpiredAnswers(tx: Tx, now: number): Promise<number> {
  const row = await tx.row<{ closed: number }>(
    `with closed as (
       update review_item
       set state = 'expired', decided_at = $1, decided_by = 'engine'
       where id = any (array(
           select i.id
           from review_item i
           where i.conversation_id is not null and i.state = 'pending' and i.expires_at <= $1
           order by i.expires_at limit ${CLOSED_AT_ONCE}
         ))
         and state = 'pending'
       returning id, workspace_id, run_id
     ),
     told as (
       insert into run_event (workspace_id, run_id, at, kind, actor, text, data)
       select c.workspace_id, c.run_id, $1, 'review.expired', 'engine', '', jsonb_build_object('reviewItemId', c.id)
       from closed c
     )
     select count(*)::int as closed from closed`,
    [now],
  );
  return row?.closed ?? 0;
}
