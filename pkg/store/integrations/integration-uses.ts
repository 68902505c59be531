import type { Tx } from '../../postgres/database.ts';

/** What stops working without an integration. */
export interface IntegrationUses {
  /** Workflows whose graph names it. */
  workflows: string[];
  /** One of them has runs that go on. */
  liveRuns: boolean;
  /** Calls to it that are under way: their runs take the outcome `failed` at their next look. */
  openCalls: number;
  /** Automations of campaigns that are enabled and name it. */
  automations: string[];
  /** Ids there of lists that are kept in sync. */
  lists: string[];
}

/** What of each is named at most. */
const MOST = 1_000;

/** What needs an integration of the workspace. */
export async function whatNeeds(tx: Tx, workspaceId: string, integrationId: string): Promise<IntegrationUses> {
  const workflows = await tx.rows<{ id: string }>(
    `select w.id
     from workflow w
     join workflow_graph g on g.workflow_id = w.id and g.version = w.graph_version
     where w.workspace_id = $1
       and w.deleted_at is null
       and exists (
         select 1
         from jsonb_array_elements(g.graph -> 'nodes') n
         where n -> 'config' ->> 'integrationId' = $2
       )
     order by w.id limit ${MOST}`,
    [workspaceId, integrationId],
  );
  const ids = workflows.map(({ id }) => id);
  const row = await tx.row<{ live: boolean; calls: number }>(
    `select
       exists (select 1 from run r where r.workflow_id = any ($3) and r.ended_at is null) as live,
       (
         select count(*)::int
         from node_call c
         join run r on r.id = c.run_id
         join workflow_graph g on g.workflow_id = r.workflow_id and g.version = r.graph_version
         where c.workspace_id = $1
           and c.state = 'claimed'
           and r.send_id = c.id
           and r.ended_at is null
           and exists (
             select 1
             from jsonb_array_elements(g.graph -> 'nodes') n
             where n ->> 'nodeId' = c.node_id and n -> 'config' ->> 'integrationId' = $2
           )
       ) as calls`,
    [workspaceId, integrationId, ids],
  );
  const automations = await tx.rows<{ id: string }>(
    `select id
     from schedule
     where workspace_id = $1
       and campaign_id is not null
       and enabled
       and deleted_at is null
       and settings ->> 'integrationId' = $2
     order by id limit ${MOST}`,
    [workspaceId, integrationId],
  );
  const lists = await tx.rows<{ id: string }>(
    `select external_id as id
     from provider_list
     where integration_id = $1 and keep_in_sync
     order by external_id limit ${MOST}`,
    [integrationId],
  );
  return {
    workflows: ids,
    liveRuns: row?.live ?? false,
    openCalls: row?.calls ?? 0,
    automations: automations.map(({ id }) => id),
    lists: lists.map(({ id }) => id),
  };
}
