import type { Tx } from '../../postgres/database.ts';
import { appendEvents } from '../runs/run-events.ts';

/** Leads that a query list holds unless it says less. */
export const MOST_LISTED = 100_000;

/**
 * Brings a query list up to date with the leads as they are: those that match enter, those that no longer do leave, and
 * no run is stopped by it. Costs what changed since the last time. @returns its number of leads, null for another list
 */
export async function refreshList(tx: Tx, leadListId: string, now: number): Promise<number | null> {
  const row = await tx.row<{ count: number | null }>('select app.materialise_list($1, $2) as count', [leadListId, now]);
  return row?.count ?? null;
}

/** Query lists that are kept up to date in one go. */
const MOST_LISTS = 200;

/**
 * Brings the query lists of a workspace up to date; call it in the transaction that changes leads, tags or scores. The
 * feeder does the same before it takes leads from a list, for what other tenants change in the pool.
 */
export async function refreshLists(tx: Tx, workspaceId: string, now: number): Promise<void> {
  await tx.exec(
    `select app.materialise_list(t.id, $2) from (select id from lead_list
       where workspace_id = $1 and type = 'query' and deleted_at is null order by id limit ${MOST_LISTS}) t`,
    [workspaceId, now],
  );
}

interface ListRef {
  id: string;
  workspace_id: string;
}

/** Enabled workflows with a source node that names the list. */
export function workflowsFedBy(tx: Tx, list: ListRef): Promise<{ id: string; name: string }[]> {
  return tx.rows(
    `select w.id, w.name from workflow w join workflow_graph g on g.workflow_id = w.id and g.version = w.graph_version
     where w.workspace_id = $1 and w.enabled and w.deleted_at is null
       and exists (select 1 from jsonb_array_elements(g.graph -> 'nodes') n
         where n ->> 'nodeType' = 'source:lead_list' and n -> 'config' ->> 'leadListId' = $2)
     order by w.id`,
    [list.workspace_id, list.id],
  );
}

/**
 * Stops the live runs that leads have because of the list: in workflows that it feeds, and in those of the campaign that
 * it is attached to. Runs elsewhere go on.
 */
export async function stopRunsOfList(
  tx: Tx,
  list: ListRef & { campaign_id: string | null },
  { leadIds, actor, now }: { leadIds: readonly string[]; actor: string; now: number },
): Promise<number> {
  const reason = 'removed from the lead list';
  const stopped = await tx.rows<{ id: string }>(
    `update run r
     set
       state = 'stopped',
       due_at = null,
       wait_reason = null,
       ended_at = $4,
       end_reason = $5,
       version = r.version + 1
     where r.workspace_id = $1
       and r.lead_id = any ($3::uuid[])
       and r.ended_at is null
       and (
         r.campaign_id = $6
         or exists (
           select 1
           from workflow_graph g, jsonb_array_elements(g.graph -> 'nodes') n
           where g.workflow_id = r.workflow_id
             and n ->> 'nodeType' = 'source:lead_list'
             and n -> 'config' ->> 'leadListId' = $2
         )
       )
     returning r.id`,
    [list.workspace_id, list.id, leadIds, now, reason, list.campaign_id],
  );
  const events = stopped.map((run) => ({
    runId: run.id,
    at: now,
    kind: 'run.completed' as const,
    nodeId: null,
    actor,
    text: reason,
    data: { action: 'stop' },
  }));
  if (events.length > 0) await appendEvents(tx, list.workspace_id, events);
  return stopped.length;
}
