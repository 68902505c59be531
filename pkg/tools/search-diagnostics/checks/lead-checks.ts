import { isUuid } from '../../../base/ids.ts';
import { notFound } from '../../errors.ts';
import { iso } from '../../times.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';

interface Lead {
  id: string;
  full_name: string;
  person_id: string | null;
  profile_id: string | null;
  erased_at: number | null;
}

interface Run {
  id: string;
  state: string;
  node_id: string;
  wait_reason: string | null;
  due_at: number | null;
  ended_at: number | null;
  end_reason: string | null;
}

/** Why nothing happens to one lead. */
export async function leadChecks({ tx, workspaceId, targetId, now }: CheckContext): Promise<Check[]> {
  const lead = isUuid(targetId)
    ? await tx.row<Lead>('select id, full_name, person_id, profile_id, erased_at from lead where id = $1', [targetId])
    : undefined;
  if (!lead) throw notFound('lead', targetId);
  const [exclusion] = await tx.rows<Exclusion>(
    `select source, level, removable from app.suppressions_of($1, null, array[$2::uuid], $3)
     where source <> 'erasure' or $4 order by removable, source limit 1`,
    [workspaceId, lead.id, now, lead.erased_at === null],
  );
  const best = await tx.row<Score>(
    `select s.total, coalesce((c.settings ->> 'scoreMin')::float8, 50) as wanted, c.id as campaign_id
     from lead_score s join campaign c on c.id = s.campaign_id
     where s.workspace_id = $1 and s.lead_id = $2 and c.deleted_at is null and s.total is not null
     order by s.total - coalesce((c.settings ->> 'scoreMin')::float8, 50) desc, c.id limit 1`,
    [workspaceId, lead.id],
  );
  const runs = await tx.rows<Run>(
    'select id, state, node_id, wait_reason, due_at, ended_at, end_reason from run where workspace_id = $1 and lead_id = $2 order by started_at desc limit 5',
    [workspaceId, lead.id],
  );
  return [
    lead.erased_at === null
      ? pass('not_erased', 'The lead is live.')
      : fail(
          'not_erased',
          'The lead was erased, which is for good; svc_search_leads shows who may be contacted.',
          'svc_search_leads',
        ),
    exclusion
      ? fail('not_suppressed', exclusionText(exclusion), 'svc_search_leads')
      : pass('not_suppressed', 'The person is not suppressed.'),
    lead.profile_id === null
      ? fail('profile_known', 'The lead has no profile address, so the network can not reach them.', 'svc_upsert_lead')
      : pass('profile_known', 'The profile address is known.'),
    scoreCheck(best),
    ...(runs.length === 0
      ? [fail('enrolled', 'The lead is in no workflow.', 'svc_trigger_workflow')]
      : runs.map(runCheck)),
  ];
}

/** What forbids contact, one of possibly several. */
interface Exclusion {
  source: string;
  level: string;
  removable: boolean;
}

/** Says whose decision it is: nothing but time or that somebody lifts an exclusion, and some are for good. */
function exclusionText({ source, level, removable }: Exclusion): string {
  const why =
    level === 'agency'
      ? 'a workspace of the agency shares its exclusions, and only it can lift this one'
      : level === 'platform'
        ? 'it holds on the whole platform'
        : removable
          ? 'somebody of this workspace excluded them'
          : 'it is their own wish or the law, and no tool lifts it';
  return `The person is suppressed (${source}, ${level}): ${why}. svc_search_leads shows who may be contacted.`;
}

/** The score that comes nearest to what its campaign asks for. */
interface Score {
  total: number;
  wanted: number;
  campaign_id: string;
}

function scoreCheck(best: Score | undefined): Check {
  if (!best) return fail('scored', 'The lead has no score yet.', 'svc_trigger_icp_scoring');
  const { total, wanted, campaign_id: campaign } = best;
  if (total >= wanted) return pass('scored', `Score ${total} in campaign ${campaign}, ${wanted} is needed.`);
  return fail(
    'scored',
    `Score ${total} is below the scoreMin ${wanted} of campaign ${campaign}; svc_get_icp_scores explains the score.`,
    'svc_update_campaign',
  );
}

function runCheck(run: Run): Check {
  if (run.ended_at !== null)
    return pass('run', `Run ${run.id} ended: ${run.state}${run.end_reason ? ` (${run.end_reason})` : ''}.`);
  const when = run.due_at === null ? 'when the event comes' : iso(run.due_at);
  const detail = `Run ${run.id} is ${run.state} at ${run.node_id}${run.wait_reason ? `, waits for ${run.wait_reason}` : ''}; acts next ${when}.`;
  const blocked = run.state === 'blocked' || run.state === 'in_review' || run.state === 'paused';
  return blocked
    ? fail('run', detail, run.state === 'in_review' ? 'svc_list_review_items' : 'svc_control_workflow_runs')
    : pass('run', detail);
}
