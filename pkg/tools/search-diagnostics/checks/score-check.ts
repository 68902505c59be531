import { type Check, type CheckContext, fail, pass } from './check.ts';

/** The score that comes nearest to what its campaign asks for. */
export interface Score {
  total: number;
  wanted: number;
  campaign_id: string;
}

/** Of the campaigns of the workspace, or of one of them. */
export function bestScore(
  { tx, workspaceId, targetId }: CheckContext,
  campaignId: string | null = null,
): Promise<Score | undefined> {
  return tx.row<Score>(
    `select s.total, app.score_min(c.settings) as wanted, c.id as campaign_id
     from lead_score s
     join campaign c on c.id = s.campaign_id
     where s.workspace_id = $1
       and s.lead_id = $2
       and c.deleted_at is null
       and s.total is not null
       and ($3::text is null or c.id = $3)
     order by s.total - app.score_min(c.settings) desc, c.id limit 1`,
    [workspaceId, targetId, campaignId],
  );
}

/** Who is in a workflow, or was, needs no score any more; it is told all the same. */
export function scoreOfRun(score: Score | undefined, what: string): Check {
  if (!score) return pass('scored', `${what} without a score.`);
  const { total, wanted, campaign_id: campaign } = score;
  return pass('scored', `${what}; score ${total} in its campaign ${campaign}, which asks for ${wanted}.`);
}

/** A score decides who comes into a workflow by itself; who comes from a list needs none. */
export async function scoreCheck(
  context: CheckContext,
  best: Score | undefined,
  listId: string | null | undefined,
): Promise<Check> {
  if (listId)
    return pass(
      'scored',
      `An enabled workflow takes its leads from list ${listId}, which has the lead: no score is needed.`,
    );
  if (!best) return unscored(context);
  const { total, wanted, campaign_id: campaign } = best;
  if (total >= wanted) return pass('scored', `Score ${total} in campaign ${campaign}, ${wanted} is needed.`);
  return fail(
    'scored',
    `Score ${total} is below the scoreMin ${wanted} of campaign ${campaign}; svc_get_icp_scores explains the score.`,
    'svc_update_campaign',
    { campaignId: campaign, scoreMin: Math.max(0, Math.floor(total)) },
  );
}

interface Scoring {
  campaign_id: string;
  icp_id: string | null;
  /** Whether a pass over the ICP looks at the lead. */
  candidate: boolean;
  /** A static list of the campaign. */
  list_id: string | null;
}

/** Why a lead has no score: no campaign has an ICP, no pass looks at the lead, or none was made since it came. */
async function unscored(context: CheckContext): Promise<Check> {
  const { workspaceId, targetId } = context;
  const [best] = await scoringsOf(context);
  const text = 'The lead has no score yet';
  if (!best)
    return fail('scored', `${text}, and there is no campaign that could score it.`, 'svc_create_campaign', {
      workspaceId,
    });
  const { campaign_id: campaignId, icp_id: icpId, candidate, list_id: leadListId } = best;
  if (!candidate && leadListId)
    return fail(
      'scored',
      `${text}: no pass of scoring looks at it, for it is in no list of campaign ${campaignId}.`,
      'svc_add_leads_to_list',
      { leadListId, leadIds: [targetId] },
    );
  if (!candidate)
    return fail(
      'scored',
      `${text}: it is in no list of a campaign; make one for campaign ${campaignId}, and add the lead to it.`,
      'svc_create_lead_list',
      { workspaceId, campaignId },
    );
  if (!icpId)
    return fail('scored', `${text}: campaign ${campaignId} has no ICP to score it by.`, 'svc_create_icp', {
      campaignId,
    });
  return fail('scored', `${text}.`, 'svc_trigger_icp_scoring', { icpId });
}

/** Campaigns that could score the lead, the one that needs least for it first. */
function scoringsOf({ tx, workspaceId, targetId }: CheckContext): Promise<Scoring[]> {
  return tx.rows<Scoring>(
    `with mine as (
       select x.campaign_id from campaign_lead x where x.workspace_id = $1 and x.lead_id = $2
       union
       select t.campaign_id
       from lead_list_member m
       join lead_list t on t.id = m.lead_list_id
       where m.lead_id = $2
         and t.workspace_id = $1
         and t.campaign_id is not null
         and t.deleted_at is null
     )
     select x.campaign_id, x.icp_id, x.candidate, x.list_id
     from (select
       c.id as campaign_id,
       (
         select i.id
         from icp i
         where i.campaign_id = c.id and i.deleted_at is null
         order by i.scored_at desc nulls first, i.id limit 1
       ) as icp_id,
       c.id in (select m.campaign_id from mine m)
         or not exists (select 1 from mine)
         and exists (select 1 from lead l where l.id = $2 and l.workspace_id = $1) as candidate,
       (
         select t.id
         from lead_list t
         where t.campaign_id = c.id and t.type = 'static' and t.deleted_at is null
         order by t.id limit 1
       ) as list_id,
       c.state,
       c.created_at
     from campaign c
     where c.workspace_id = $1 and c.deleted_at is null and c.state in ('draft', 'active', 'paused')
     ) x
     order by
       x.candidate desc, x.icp_id is null, x.state = 'active' desc, x.list_id is null, x.created_at desc,
       x.campaign_id
     limit 1`,
    [workspaceId, targetId],
  );
}
