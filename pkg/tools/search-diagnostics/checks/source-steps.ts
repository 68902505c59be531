import type { Cause, CheckContext } from './check.ts';

type PoolContext = Pick<CheckContext, 'tx' | 'workspaceId'>;

interface Pool {
  /** A lead that a pass of scoring for the campaign would look at. */
  candidates: boolean;
  /** A list with leads that belongs to no campaign. */
  loose_list: string | null;
  /** A list of the campaign that leads are added to by hand. */
  own_list: string | null;
  /** Leads of the workspace that could be added to it. */
  leads: boolean;
  icp_id: string | null;
  /** A pass over some ICP has looked at the leads since they last changed. */
  scored: boolean;
  best: number | null;
  wanted: number;
}

/**
 * What brings leads into the pool of a campaign that has nobody to enrol, the first step that is missing: a list of leads, an ICP,
 * a pass of scoring, a threshold that somebody reaches.
 * @param pool how many qualify: all of them had their turn
 */
export async function poolStep(context: PoolContext, campaignId: string, pool: number): Promise<Cause> {
  const { workspaceId } = context;
  const facts = await readPool(context, campaignId);
  if (pool > 0) return fillStep(workspaceId, campaignId, facts, `All ${pool} leads who qualify had their turn`);
  if (!facts.candidates) return fillStep(workspaceId, campaignId, facts, 'The campaign has no leads');
  if (!facts.icp_id)
    return {
      text: 'The campaign has leads, and no ICP that they could be scored by.',
      tool: 'svc_create_icp',
      input: { campaignId },
    };
  const { best, wanted } = facts;
  if (best === null || !facts.scored)
    return {
      text: 'The leads of the campaign are not scored, so that none of them qualifies.',
      tool: 'svc_trigger_icp_scoring',
      input: { icpId: facts.icp_id },
    };
  return {
    text: `No lead reaches the scoreMin ${wanted} of the campaign: the best has ${best}. Lower it, or widen the ICP (svc_update_icp).`,
    tool: 'svc_update_campaign',
    input: { campaignId, scoreMin: Math.max(0, Math.floor(best)) },
  };
}

/** Where more leads come from: a list that is there and belongs to nobody, the campaign's own list, or a file. */
function fillStep(workspaceId: string, campaignId: string, facts: Pool, text: string): Cause {
  if (facts.loose_list)
    return {
      text: `${text}: attach a list of leads to it.`,
      tool: 'svc_update_lead_list',
      input: { leadListId: facts.loose_list, campaignId },
    };
  if (facts.own_list && facts.leads)
    return {
      text: `${text}: add leads to its list.`,
      tool: 'svc_add_leads_to_list',
      input: { leadListId: facts.own_list },
    };
  return {
    text: `${text}: import some for it, or make a list of it (svc_create_lead_list).`,
    tool: 'svc_import_leads_csv',
    input: { workspaceId, campaignId },
  };
}

async function readPool({ tx, workspaceId }: PoolContext, campaignId: string): Promise<Pool> {
  const row = await tx.row<Pool>(
    `select
       exists (select 1 from campaign_lead x where x.campaign_id = c.id)
         or exists (
           select 1
           from lead_list t
           join lead_list_member m on m.lead_list_id = t.id
           where t.campaign_id = c.id and t.deleted_at is null
         )
         or exists (
           select 1
           from lead l
           where l.workspace_id = $1
             and l.erased_at is null
             and not exists (select 1 from campaign_lead o where o.workspace_id = $1 and o.lead_id = l.id)
             and not exists (
               select 1
               from lead_list_member m
               join lead_list t on t.id = m.lead_list_id
               where m.lead_id = l.id and t.campaign_id is not null and t.deleted_at is null
             )
         ) as candidates,
       (
         select t.id
         from lead_list t
         where t.workspace_id = $1
           and t.campaign_id is null
           and t.deleted_at is null
           and t.lead_count > 0
         order by t.lead_count desc, t.id limit 1
       ) as loose_list,
       (
         select t.id
         from lead_list t
         where t.campaign_id = c.id and t.type = 'static' and t.deleted_at is null
         order by t.id limit 1
       ) as own_list,
       exists (select 1 from lead l where l.workspace_id = $1 and l.erased_at is null) as leads,
       i.id as icp_id,
       i.scored_at is not null and not i.scores_stale as scored,
       (select max(s.total) from lead_score s where s.campaign_id = c.id) as best,
       app.score_min(c.settings) as wanted
     from campaign c
     left join lateral (
       select i.id, i.scored_at, i.scores_stale
       from icp i
       where i.campaign_id = c.id and i.deleted_at is null
       order by i.scores_stale desc, i.scored_at nulls first, i.id limit 1
     ) i on true
     where c.id = $2`,
    [workspaceId, campaignId],
  );
  if (row) return row;
  const none = { loose_list: null, own_list: null, icp_id: null, best: null };
  return { ...none, candidates: false, leads: false, scored: false, wanted: 0 };
}
