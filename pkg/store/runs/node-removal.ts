import type { Graph } from '../../domain/graph.ts';
import type { Tx } from '../../postgres/database.ts';
import { appendEvents } from './run-events.ts';

/** A node that was taken out of a workflow's graph. */
export interface NodeRemoval {
  workspaceId: string;
  workflowId: string;
  nodeId: string;
  /** Where its leads go on; null: they are done. */
  successorId: string | null;
  fromVersion: number;
  toVersion: number;
  /** Who did it, for the timeline. */
  actor: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** The newest version of a workflow's graph that has a node and leads under way; undefined when nobody can come to it. */
export function graphUnderWay(
  tx: Tx,
  workflowId: string,
  nodeId: string,
): Promise<{ version: number; graph: Graph } | undefined> {
  return tx.row(
    `select g.version, g.graph
     from workflow_graph g
     where g.workflow_id = $1
       and exists (select 1 from jsonb_array_elements(g.graph -> 'nodes') n where n ->> 'nodeId' = $2)
       and exists (
         select 1
         from run r
         where r.workflow_id = $1 and r.graph_version = g.version and r.ended_at is null
       )
     order by g.version desc limit 1`,
    [workflowId, nodeId],
  );
}

/** Live runs that one transaction looks at: about a second when all of them move. */
const RUNS_AT_ONCE = 5_000;

/** How far a removal was followed. */
export interface Followed {
  /** How many stood there. */
  moved: number;
  /** Where the next part begins; null: it is done. */
  next: string | null;
}

/**
 * Nobody comes to a removed node any more: leads that stand there go on at its successor (or are done), and leads of
 * the same graph version that are before it follow to the new one, those with a send under way too: their step is the same in
 * both. A lead whose send is under way at the removed node stays where it is.
 * Goes through a part of the live runs, for a transaction of its own; the one who repeats it from the beginning finds who is left.
 * @param after where the part before ended; null: from the beginning
 */
export async function followRemoval(tx: Tx, removal: NodeRemoval, after: string | null = null): Promise<Followed> {
  const { workspaceId, workflowId, nodeId, successorId, fromVersion, toVersion, actor, now } = removal;
  const part = await tx.rows<{ id: string; lead: string }>(
    `select r.id, r.lead_id as lead
     from run r
     where r.workflow_id = $1 and r.ended_at is null and r.lead_id > $2
     order by r.lead_id limit $3`,
    [workflowId, after ?? '00000000-0000-0000-0000-000000000000', RUNS_AT_ONCE],
  );
  const looked = part.map((run) => run.id);
  const standing = await tx.rows<{ id: string }>(
    `select r.id from run r where r.id = any ($1::uuid[]) and r.node_id = $2 and r.ended_at is null
       and not exists (select 1 from send s where s.run_id = r.id and s.state in ('claimed', 'dispatched', 'unknown'))
     order by r.id for update`,
    [looked, nodeId],
  );
  const ids = standing.map((row) => row.id);
  await tx.exec(
    `update review_item set state = 'cancelled', reason = 'the step was removed', decided_at = $2
     where run_id = any ($1::uuid[]) and state = 'pending' and conversation_id is null`,
    [ids, now],
  );
  await moveStanding(tx, ids, removal);
  await tx.exec(
    `update run r set graph_version = $3, version = r.version + 1
     where r.id = any ($1::uuid[]) and r.graph_version = $2 and r.ended_at is null
       and (r.node_id = '' or exists (select 1 from workflow_graph g, jsonb_array_elements(g.graph -> 'nodes') n
         where g.workflow_id = r.workflow_id and g.version = $3 and n ->> 'nodeId' = r.node_id))`,
    [looked, fromVersion, toVersion],
  );
  const kind = successorId === null ? 'run.completed' : 'run.step_done';
  const text = successorId === null ? 'the last step was removed' : `the step was removed; goes on at ${successorId}`;
  const event = { at: now, kind, nodeId, actor, text, data: { action: 'node_removed' } } as const;
  await appendEvents(
    tx,
    workspaceId,
    ids.map((runId) => ({ runId, ...event })),
  );
  return { moved: ids.length, next: part.length === RUNS_AT_ONCE ? (part.at(-1)?.lead ?? null) : null };
}

/** A paused lead stays paused, at its new place; and one that replied waits on for what follows from that, as for its return. */
async function moveStanding(tx: Tx, ids: readonly string[], removal: NodeRemoval): Promise<void> {
  const { successorId, toVersion, now } = removal;
  if (successorId === null) {
    await tx.exec(
      `update run
       set
         state = 'completed',
         due_at = null,
         wait_reason = null,
         ended_at = $2,
         end_reason = 'the step was removed',
         send_id = null,
         version = version + 1
       where id = any ($1::uuid[])`,
      [ids, now],
    );
    return;
  }
  await tx.exec(
    `update run set node_id = $2, graph_version = $3, entered_at = $4, send_id = null, version = version + 1,
       state = case when state in ('paused', 'replied') then state else 'waiting' end,
       wait_reason = case when state in ('paused', 'replied') then wait_reason else 'duration' end,
       due_at = case when state in ('paused', 'replied') then due_at else $4 end
     where id = any ($1::uuid[])`,
    [ids, successorId, toVersion, now],
  );
}
