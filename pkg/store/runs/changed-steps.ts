import type { Tx } from '../../postgres/database.ts';

/**
 * After an edit whose runs go over to the newest graph: those whose draft waits for a person at a node that is of another type by now
 * look again at `now` (epoch ms UTC, product time), not when the draft expires, so that nobody decides about a text for which no run
 * waits. Source: catalog, svc_update_workflow, inFlight.
 */
export async function lookAtChangedSteps(tx: Tx, workflowId: string, now: number): Promise<void> {
  await tx.exec(
    `with asked as materialized (
       select r.id, r.graph_version as version, r.node_id, w.graph_version as newest
       from review_item i
       join run r on r.id = i.run_id and r.node_id = i.node_id
       join workflow w on w.id = r.workflow_id
       where i.workflow_id = $1
         and i.state = 'pending'
         and r.state = 'in_review'
         and r.wait_reason = 'review'
         and r.due_at > $2
         and r.graph_version < w.graph_version
         and w.in_flight = 'migrate'
     ),
     types as materialized (
       select g.version, n ->> 'nodeId' as node_id, n ->> 'nodeType' as type
       from workflow_graph g
       cross join lateral jsonb_array_elements(g.graph -> 'nodes') n
       where g.workflow_id = $1
         and g.version in (select version from asked union select newest from asked)
     ),
     changed as (
       select r.id
       from run r
       where r.ended_at is null
         and r.state = 'in_review'
         and r.id in (
           select a.id
           from asked a
           join types t on t.version = a.version and t.node_id = a.node_id
           join types o on o.version = a.newest and o.node_id = a.node_id and o.type <> t.type
         )
       order by r.id for no key update
     )
     update run r
     set due_at = $2, version = r.version + 1
     from changed c
     where r.id = c.id`,
    [workflowId, now],
  );
}
