import { type Cause, type Check, type CheckContext, fail, pass } from './check.ts';
import { poolStep } from './source-steps.ts';

interface Sources {
  /** Types of its source nodes; none: the campaign pool feeds it. */
  sources: string[];
  /** Leads that qualify in the pool of the campaign, and those of them who were never in it. */
  pool: number;
  fresh: number;
  live: number;
  /** Leads of the lists that it names who were never in it. */
  listed: number;
  /** Of the lists that it names one that leads are added to by hand, else any. */
  list_id: string | null;
  list_type: string | null;
}

/** Leads that are counted at most. */
const MOST_COUNTED = 1_000;

/** Whether anybody is there for the workflow to act on: under way, or where its sources take them from. */
export async function sourceCheck(
  context: CheckContext,
  workflow: { id: string; campaign_id: string },
): Promise<Check> {
  const {
    sources,
    pool,
    fresh,
    live,
    listed,
    list_id: listId,
    list_type: listType,
  } = await readSources(context, workflow);
  const byPool = sources.length === 0 || sources.includes('source:campaign_pool');
  const byList = sources.includes('source:lead_list');
  if (live > 0 || (byPool && fresh > 0) || (byList && listed > 0)) {
    const waiting = byList ? `, ${many(listed)} of its lists are to come` : '';
    return pass('leads_qualify', `${many(pool)} leads qualify, ${live} are under way${waiting}.`);
  }
  if (byPool) return asCheck(await poolStep(context, workflow.campaign_id, pool));
  if (byList) return asCheck(listStep(workflow.id, listId, listType));
  return fail(
    'leads_qualify',
    sources.includes('source:signal_agent')
      ? 'Nobody is under way, and its signal agents have brought nobody who could be enrolled.'
      : 'Nobody is under way, and no source brings leads by itself: they are enrolled by hand.',
    'svc_trigger_workflow',
    { workflowId: workflow.id },
  );
}

const many = (count: number): string => (count === MOST_COUNTED ? `more than ${MOST_COUNTED - 1}` : `${count}`);

function asCheck({ text, tool, input }: Cause): Check {
  return fail('leads_qualify', text, tool, input);
}

function listStep(workflowId: string, leadListId: string | null, type: string | null): Cause {
  const text = 'Nobody is under way, and the lists that it takes its leads from have nobody who was not in it already';
  if (leadListId === null)
    return {
      text: 'Nobody is under way, and the list that it takes its leads from is not there: name another one in its source.',
      tool: 'svc_update_workflow',
      input: { workflowId },
    };
  return type === 'static'
    ? { text: `${text}.`, tool: 'svc_add_leads_to_list', input: { leadListId } }
    : { text: `${text}: its predicate finds nobody else.`, tool: 'svc_update_lead_list', input: { leadListId } };
}

async function readSources(
  { tx, workspaceId }: CheckContext,
  workflow: { id: string; campaign_id: string },
): Promise<Sources> {
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
     ),
     pool as materialized (
       select s.lead_id
       from lead_score s
       join campaign c on c.id = s.campaign_id
       where s.campaign_id = $3 and s.total >= app.score_min(c.settings)
       group by s.lead_id
       limit ${MOST_COUNTED}
     ),
     fresh as (
       select s.lead_id
       from lead_score s
       join campaign c on c.id = s.campaign_id
       where s.campaign_id = $3
         and s.total >= app.score_min(c.settings)
         and not exists (
           select 1
           from run r
           where r.workspace_id = $2 and r.workflow_id = $1 and r.lead_id = s.lead_id
         )
       limit 1
     )
     select
       array(select distinct n.type from nodes n) as sources,
       (select count(*) from pool)::int as pool,
       (select count(*) from fresh)::int as fresh,
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
           limit ${MOST_COUNTED}
         ) x
       )::int as listed,
       l.id as list_id,
       l.type as list_type
     from (select 1) one
     left join lateral (select t.id, t.type from lists t order by t.type = 'static' desc, t.id limit 1) l on true`,
    [workflow.id, workspaceId, workflow.campaign_id],
  );
  return facts ?? { sources: [], pool: 0, fresh: 0, live: 0, listed: 0, list_id: null, list_type: null };
}
