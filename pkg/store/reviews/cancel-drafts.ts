import type { Tx } from '../../postgres/database.ts';

/** Drafts that one transaction takes back: about half a second. */
const DRAFTS_AT_ONCE = 5_000;

/** Of a draft `i` of a step, as SQL: it is shown to people, or was decided and not sent. */
const OPEN = `i.state in ('pending', 'approved') and i.conversation_id is null`;

/** Whether a workflow `w` is disabled and has drafts that were not taken back yet, as SQL. */
export const LEFT_DRAFTS = `not w.enabled and exists (select 1 from review_item i where i.workflow_id = w.id and ${OPEN})`;

/**
 * Takes back a part of the drafts of a workflow that is disabled, decided ones that were not sent too: when it goes on people
 * are asked anew, since nobody approves what is sent weeks later. Source: catalog, state machine reviewItem.
 * @param now epoch ms UTC, product time
 * @returns whether none is left
 */
export async function cancelDrafts(tx: Tx, workflowId: string, now: number, most = DRAFTS_AT_ONCE): Promise<boolean> {
  const row = await tx.row<{ taken: number }>(
    `with taken as (
       update review_item
       set
         state = 'cancelled',
         reason = 'the workflow was disabled',
         decided_at = $2,
         decided_by = 'engine'
       where id = any (array(select i.id from review_item i where i.workflow_id = $1 and ${OPEN} limit $3))
         and state in ('pending', 'approved')
       returning run_id, send_node_id
     ),
     waiting as (select run_id, array_agg(send_node_id) as nodes from taken group by 1),
     asked as (
       update run r
       set
         version = r.version + 1,
         facts = r.facts || jsonb_build_object(
           'approved', coalesce(r.facts -> 'approved', '{}') - w.nodes,
           'approvedSubjects', coalesce(r.facts -> 'approvedSubjects', '{}') - w.nodes
         ),
         due_at = case when r.wait_reason = 'review' and r.state <> 'paused' then $2 else r.due_at end
       from waiting w
       where r.id = w.run_id and r.ended_at is null
     )
     select count(*)::int as taken
     from taken`,
    [workflowId, now, most],
  );
  return (row?.taken ?? 0) === 0 || !(await hasDrafts(tx, workflowId));
}

async function hasDrafts(tx: Tx, workflowId: string): Promise<boolean> {
  return (
    (await tx.row(`select 1 from review_item i where i.workflow_id = $1 and ${OPEN} limit 1`, [workflowId])) !==
    undefined
  );
}

/** The next part for a workflow that is still disabled, in a transaction of its own. */
export async function cancelLeftDrafts(tx: Tx, workflowId: string, now: number): Promise<void> {
  // The one who enables it waits, and takes back the rest.
  const disabled = await tx.row('select 1 from workflow where id = $1 and not enabled for no key update', [workflowId]);
  if (disabled) await cancelDrafts(tx, workflowId, now);
}
