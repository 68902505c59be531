import type { Tx } from '../postgres/database.ts';

/**
 * Takes back the drafts of a workflow that is disabled, decided ones that were not sent too: when it goes on people are asked
 * anew, since nobody approves what is sent weeks later. Source: catalog, state machine reviewItem.
 * @param now epoch ms UTC, product time
 */
export async function cancelDrafts(tx: Tx, workflowId: string, now: number): Promise<void> {
  await tx.exec(
    `with taken as (
       update review_item set state = 'cancelled', reason = 'the workflow was disabled', decided_at = $2, decided_by = 'engine'
       where workflow_id = $1 and state in ('pending', 'approved') returning run_id, send_node_id),
     waiting as (select run_id, array_agg(send_node_id) as nodes from taken group by 1)
     update run r set version = r.version + 1,
       facts = r.facts || jsonb_build_object('approved', coalesce(r.facts -> 'approved', '{}') - w.nodes, 'approvedSubjects', coalesce(r.facts -> 'approvedSubjects', '{}') - w.nodes),
       due_at = case when r.wait_reason = 'review' and r.state <> 'paused' then $2 else r.due_at end
     from waiting w where r.id = w.run_id and r.ended_at is null`,
    [workflowId, now],
  );
}
