import { isUuid } from '../../../base/ids.ts';
import { notFound } from '../../errors.ts';
import { isStopped, shownWait, type WaitRow } from '../../workflow-execution/run-row.ts';
import { accountCause } from './account-cause.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { claimCheck, enrolmentBars } from './enrolment-check.ts';
import { channelsOf, creditsCause, freezeCause, STOPS, stopChecks } from './stop-checks.ts';
import { FIXES } from './workflow-checks.ts';
import { workspaceChecks } from './workspace-checks.ts';

interface Lead {
  id: string;
  full_name: string;
  person_id: string | null;
  profile_id: string | null;
  erased_at: number | null;
}

interface Run extends WaitRow {
  id: string;
  workflow_id: string;
  campaign_id: string;
  node_id: string;
  account_id: string | null;
  /** Its workflow has a step of the network. */
  networks: boolean;
  ended_at: number | null;
  end_reason: string | null;
}

/** Why nothing happens to one lead. */
export async function leadChecks(context: CheckContext): Promise<Check[]> {
  const { tx, workspaceId, targetId, now } = context;
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
    `select s.total, app.score_min(c.settings) as wanted, c.id as campaign_id
     from lead_score s join campaign c on c.id = s.campaign_id
     where s.workspace_id = $1 and s.lead_id = $2 and c.deleted_at is null and s.total is not null
     order by s.total - app.score_min(c.settings) desc, c.id limit 1`,
    [workspaceId, lead.id],
  );
  const runs = await tx.rows<Run>(
    `select
       r.*,
       ${isStopped('$3')} as stopped,
       r.ended_at is null
         and exists (
           select 1
           from workflow_graph g
           where g.workflow_id = r.workflow_id
             and g.version = r.graph_version
             and jsonb_path_exists(g.graph, '$.nodes[*].nodeType ? (@ starts with "network:")')
         ) as networks
     from (
       select
         id, workspace_id, workflow_id, campaign_id, graph_version, state, node_id, account_id, wait_reason,
         due_at, ended_at, end_reason
       from run
       where workspace_id = $1 and lead_id = $2
       order by ended_at is not null, started_at desc limit 5
     ) r
     order by r.ended_at is not null, r.id desc`,
    [workspaceId, lead.id, now],
  );
  const live = runs.filter((run) => run.ended_at === null);
  const bars = live.length > 0 ? [] : await enrolmentBars(context);
  const reached = lead.profile_id !== null || (live.length > 0 && !live.some((run) => run.networks));
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
    !reached
      ? fail('profile_known', 'The lead has no profile address, so the network can not reach them.', 'svc_upsert_lead')
      : pass(
          'profile_known',
          lead.profile_id === null
            ? 'The workflow of the lead needs no profile address.'
            : 'The profile address is known.',
        ),
    ...(live.length > 0 ? [] : [claimCheck(bars)]),
    scoreCheck(best, live.length > 0, bars.find((bar) => bar.list_id !== null)?.list_id),
    ...(runs.length === 0
      ? [fail('enrolled', 'The lead is in no workflow.', 'svc_trigger_workflow')]
      : await runChecks(context, runs)),
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

/** A score decides who comes into a workflow by itself; who is in one, or comes from a list, needs none. */
function scoreCheck(best: Score | undefined, underWay: boolean, listId: string | null | undefined): Check {
  if (underWay)
    return pass(
      'scored',
      best ? `Score ${best.total}; the lead is under way.` : 'The lead is under way without a score.',
    );
  if (listId)
    return pass(
      'scored',
      `An enabled workflow takes its leads from list ${listId}, which has the lead: no score is needed.`,
    );
  if (!best) return fail('scored', 'The lead has no score yet.', 'svc_trigger_icp_scoring');
  const { total, wanted, campaign_id: campaign } = best;
  if (total >= wanted) return pass('scored', `Score ${total} in campaign ${campaign}, ${wanted} is needed.`);
  return fail(
    'scored',
    `Score ${total} is below the scoreMin ${wanted} of campaign ${campaign}; svc_get_icp_scores explains the score.`,
    'svc_update_campaign',
  );
}

async function runChecks(context: CheckContext, runs: readonly Run[]): Promise<Check[]> {
  const live = runs.some((run) => run.ended_at === null);
  const workspace = live ? await workspaceChecks(context) : [];
  const checks: Check[] = [];
  for (const run of runs)
    checks.push(run.ended_at === null ? await liveCheck(context, run, workspace) : endedCheck(run));
  return checks;
}

function endedCheck(run: Run): Check {
  return pass('run', `Run ${run.id} ended: ${run.state}${run.end_reason ? ` (${run.end_reason})` : ''}.`);
}

/** What keeps a run from going on: what stops all of its workflow, then what it waits for itself. */
async function liveCheck(context: CheckContext, run: Run, workspace: readonly Check[]): Promise<Check> {
  const { waitReason, nextActionAt } = shownWait(run, context.now);
  const detail = `Run ${run.id} is ${run.state} at ${run.node_id || 'its entry'}${waitReason ? `, waits for ${waitReason}` : ''}; acts next ${nextActionAt ?? 'when the event comes'}.`;
  const stops = await stopChecks(context, { id: run.workflow_id, campaign_id: run.campaign_id });
  const late = (run.due_at ?? Number.POSITIVE_INFINITY) <= context.now;
  const stop = [...stops, ...workspace].find(
    (check) => !check.ok && (STOPS.has(check.check) || (late && check.check === 'executor')),
  );
  const cause = stop ? { text: stop.detail, tool: stop.nextTool ?? 'svc_get_workflow' } : await waitCause(context, run);
  return cause ? fail('run', `${detail}${cause.text ? ` ${cause.text}` : ''}`, cause.tool) : pass('run', detail);
}

/** Why a run waits in which nothing is stopped, and what ends it; null: it passes by itself. */
async function waitCause(context: CheckContext, run: Run): Promise<{ text: string; tool: string } | null> {
  if (run.state === 'paused') return { text: '', tool: 'svc_control_workflow_runs' };
  if (run.state === 'in_review') return { text: '', tool: 'svc_list_review_items' };
  if (run.wait_reason === 'send_freeze') {
    const channels = await channelsOf(context, run.workflow_id);
    return freezeCause({ ...context, channels }, run.account_id === null ? [] : [run.account_id]);
  }
  if (run.state !== 'blocked') return null;
  switch (run.wait_reason) {
    case 'credits': {
      const { text, tool } = await creditsCause(context, run.campaign_id);
      return { text: `Leads of the campaign ${text}.`, tool };
    }
    case 'account_unhealthy': {
      const ids = run.account_id === null ? [] : [run.account_id];
      const { text, tool } = await accountCause(context, run.workflow_id, ids);
      return { text: `Leads of the workflow ${text}.`, tool };
    }
    case 'unknown_outcome':
      return { text: '', tool: FIXES.unknown_outcome[1] };
    case 'claim_held_elsewhere':
      return { text: 'Another workflow is in contact with the person.', tool: 'svc_get_lead' };
    default:
      return { text: '', tool: 'svc_control_workflow_runs' };
  }
}
