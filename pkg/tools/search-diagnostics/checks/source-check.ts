import { type Check, type CheckContext, fail, pass } from './check.ts';

interface Sources {
  /** Types of its source nodes; none: the campaign pool feeds it. */
  sources: string[];
  pool: number;
  live: number;
  /** Leads of the lists that it names who were never in it. */
  listed: number;
  /** One of these lists is static: leads are added by hand. */
  has_static: boolean;
}

/** Members of lists that are counted at most. */
const MOST_LISTED = 1_000;

/** Whether anybody is there for the workflow to act on: under way, or where its sources take them from. */
export async function sourceCheck(
  { tx, workspaceId }: CheckContext,
  workflow: { id: string; campaign_id: string },
): Promise<Check> {
  const facts = await tx.row<Sources>(
    `with nodes as (
       select n ->> 'nodeType' as type, n -> 'config' ->> 'leadListId' as list_id
       from workflow f
       join workflow_graph g on g.workflow_id = f.id and g.version = f.graph_version
       cross join jsonb_array_elements(g.graph -> 'nodes') n
       where f.id = $1 and n ->> 'nodeType' like 'source:%' and n ->> 'nodeType' <> 'source:entry'
     ),
     lists as (
       select t.id, t.type
       from lead_list t
       where t.workspace_id = $2
         and t.deleted_at is null
         and t.id::text in (select n.list_id from nodes n)
     )
     select
       array(select distinct n.type from nodes n) as sources,
       (
         select count(distinct s.lead_id)
         from lead_score s
         where s.campaign_id = c.id and s.total >= app.score_min(c.settings)
       )::int as pool,
       (select count(*) from run r where r.workflow_id = $1 and r.ended_at is null)::int as live,
       (
         select count(*)
         from (
           select 1
           from lists t
           join lead_list_member m on m.lead_list_id = t.id
           where not exists (
             select 1
             from run r
             where r.workspace_id = $2 and r.workflow_id = $1 and r.lead_id = m.lead_id
           )
           limit ${MOST_LISTED}
         ) x
       )::int as listed,
       exists (select 1 from lists t where t.type = 'static') as has_static
     from campaign c
     where c.id = $3`,
    [workflow.id, workspaceId, workflow.campaign_id],
  );
  const { sources = [], pool = 0, live = 0, listed = 0, has_static: isStatic = false } = facts ?? {};
  const byPool = sources.length === 0 || sources.includes('source:campaign_pool');
  const byList = sources.includes('source:lead_list');
  if (live > 0 || (byPool && pool > 0) || (byList && listed > 0)) {
    const waiting = byList ? `, ${listed === MOST_LISTED ? 'more than 999' : listed} of its lists are to come` : '';
    return pass('leads_qualify', `${pool} leads qualify, ${live} are under way${waiting}.`);
  }
  if (byPool)
    return fail(
      'leads_qualify',
      'No lead reaches the score of the campaign, and none is enrolled.',
      'svc_trigger_icp_scoring',
    );
  if (byList)
    return fail(
      'leads_qualify',
      'Nobody is under way, and the lists that it takes its leads from have nobody who was not in it already.',
      isStatic ? 'svc_add_leads_to_list' : 'svc_update_lead_list',
    );
  return fail(
    'leads_qualify',
    sources.includes('source:signal_agent')
      ? 'Nobody is under way, and its signal agents have brought nobody who could be enrolled.'
      : 'Nobody is under way, and no source brings leads by itself: they are enrolled by hand.',
    'svc_trigger_workflow',
  );
}
