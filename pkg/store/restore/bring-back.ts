import type { Tx } from '../../postgres/database.ts';
import { lockProjection } from '../resources/projection.ts';
import { holdDeletion } from './held-deletions.ts';
import { ENDED_WITH_IT } from './spec-of-rows.ts';

/** Runs that one transaction takes up again; as many as a part of a deletion ends. */
const ROWS_AT_ONCE = 5_000;

/**
 * The rows of a deleted workflow live again and rest until its object is applied; {@link reviveRuns} follows.
 * @param now epoch ms UTC, product time
 * @returns false when there is no deleted workflow of this id, its campaign is deleted too, or its content is gone
 */
export async function undeleteWorkflow(tx: Tx, id: string, now: number): Promise<boolean> {
  await lockProjection(tx, 'workflow', id);
  const row = await tx.row<{ uid: string; deleted_at: number }>(
    `select f.uid, f.deleted_at
     from workflow f
     join campaign c on c.id = f.campaign_id and c.deleted_at is null
     where f.id = $1 and f.deleted_at is not null and f.purged_at is null and f.purged_to is null
     for update of f`,
    [id],
  );
  if (!row) return false;
  await tx.exec(
    `update workflow
     set deleted_at = null, enabled = coalesce(deleted_enabled, false), deleted_enabled = null, updated_at = $2
     where id = $1`,
    [id, now],
  );
  const why = 'it was brought back, and its object is to be applied';
  return holdDeletion(tx, { kind: 'Workflow', id, uid: row.uid }, why, row.deleted_at);
}

/**
 * Takes up a part of the runs that the deletion of a workflow ended, for a transaction of its own; to be repeated until none is
 * left. They go on where they stood: a wait counts from when they came to it, drafts are made and asked for anew, and what was
 * sent stays sent.
 * @param now epoch ms UTC, product time
 * @returns how many were taken up
 */
export async function reviveRuns(tx: Tx, workflowId: string, now: number, most = ROWS_AT_ONCE): Promise<number> {
  return tx.exec(
    `with ended as (
       select r.id, r.workspace_id
       from held_deletion h
       join run r on r.workspace_id = h.workspace_id and r.workflow_id = h.id
       where h.kind = 'Workflow' and h.id = $1 and r.ended_at >= h.held_at and ${ENDED_WITH_IT}
       order by r.id limit $3
     ), told as (
       insert into run_event (workspace_id, run_id, at, kind, actor, text, data)
       select e.workspace_id, e.id, $2, 'run.started', 'system', 'the workflow was brought back', '{}'
       from ended e
     )
     update run r
     set
       state = 'waiting',
       wait_reason = 'duration',
       due_at = $2,
       ended_at = null,
       end_reason = null,
       send_id = null,
       version = r.version + 1,
       facts = r.facts - array['approved', 'approvedSubjects']
     from ended e
     where r.id = e.id`,
    [workflowId, now, most],
  );
}
