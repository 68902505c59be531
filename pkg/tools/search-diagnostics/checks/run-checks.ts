import type { GraphNode } from '../../../domain/graph.ts';
import { isStopped, shownWait } from '../../workflow-execution/run-row.ts';
import { requireWorkflow } from '../../workflows/workflow-row.ts';
import { accountCause } from './account-cause.ts';
import { budgetCause } from './budget-cause.ts';
import { type Cause, type Check, type CheckContext, fail, waits } from './check.ts';
import { endedCheck } from './ended-run.ts';
import type { Run } from './run.ts';
import { draftOf } from './run-draft.ts';
import { channelsOf, creditsCause, freezeCause, STOPS, stopChecks } from './stop-checks.ts';
import { workspaceChecks } from './workspace-checks.ts';

/** Runs of a lead that are told. */
const MOST_RUNS = 5;

/** The runs of a lead, live ones first, then the latest. */
export function readRuns({ tx, workspaceId, now }: CheckContext, leadId: string): Promise<Run[]> {
  return tx.rows<Run>(
    `select
       r.*,
       ${isStopped('$3')} as stopped,
       g.graph,
       r.ended_at is null
         and jsonb_path_exists(g.graph, '$.nodes[*].nodeType ? (@ starts with "network:")') is true as networks
     from (
       select
         id, workspace_id, workflow_id, campaign_id, graph_version, state, node_id, account_id, wait_reason,
         due_at, entered_at, started_at, ended_at, end_reason
       from run
       where workspace_id = $1 and lead_id = $2
       order by ended_at is not null, started_at desc, id desc limit ${MOST_RUNS}
     ) r
     left join workflow_graph g on g.workflow_id = r.workflow_id and g.version = r.graph_version
     order by r.ended_at is not null, r.started_at desc, r.id desc`,
    [workspaceId, leadId, now],
  );
}

/** A check of each run that is told; of those that have ended only the latest may ask for something. */
export async function runChecks(context: CheckContext, runs: readonly Run[]): Promise<Check[]> {
  const isLive = runs.some((run) => run.ended_at === null);
  const workspace = isLive ? await workspaceChecks(context) : [];
  const checks: Check[] = [];
  for (const [index, run] of runs.entries())
    checks.push(
      run.ended_at === null
        ? await liveCheck(context, run, workspace)
        : await endedCheck(context, run, { isLast: !isLive && index === 0 }),
    );
  return checks;
}

const nodeOf = ({ graph, node_id: nodeId }: Run): GraphNode | undefined =>
  graph?.nodes.find((node) => node.nodeId === nodeId);

/** What keeps a run from going on: what stops all of its workflow, then what it waits for itself. */
async function liveCheck(context: CheckContext, run: Run, workspace: readonly Check[]): Promise<Check> {
  const draft = await draftOf(context, run);
  const detail = `Run ${run.id} is ${run.state} at ${placeOf(run)}${draft?.text ?? nextOf(run, context.now)}.`;
  const stops = await stopChecks(context, { id: run.workflow_id, campaign_id: run.campaign_id });
  const late = (run.due_at ?? Number.POSITIVE_INFINITY) <= context.now;
  const stop = [...stops, ...workspace].find(
    (check) => !check.ok && (STOPS.has(check.check) || (late && check.check === 'executor')),
  );
  if (stop) return fail('run', `${detail} ${stop.detail}`, stop.nextTool ?? 'svc_get_workflow', stop.nextInput ?? {});
  const cause = draft ?? (await waitCause(context, run));
  if (!cause) return waits('run', detail);
  const why = draft || cause.text === '' ? '' : ` ${cause.text}`;
  return fail('run', `${detail}${why}`, cause.tool, cause.input);
}

/** Where it stands, in words of the graph. */
function placeOf(run: Run): string {
  if (run.node_id === '') return 'its entry';
  const node = nodeOf(run);
  return node
    ? `${node.label && node.label !== node.nodeType ? `"${node.label}", ` : ''}${node.nodeType} (${run.node_id})`
    : run.node_id;
}

/** What it waits for, and when it acts next; a wait for a person outside ends sooner when they do something. */
function nextOf(run: Run, now: number): string {
  const { waitReason, nextActionAt } = shownWait(run, now);
  const reason = waitReason ? `, waits for ${waitReason}` : '';
  if (run.stopped) return `${reason}; nothing is done until it is released`;
  if (run.state === 'paused')
    return nextActionAt === null ? '; it goes on when it is resumed' : `; it goes on ${nextActionAt}`;
  if (nextActionAt === null) return `${reason}; acts when the event comes`;
  if (waitReason === 'claim_held_elsewhere')
    return `; another workflow is in contact with the person, and it looks again ${nextActionAt}`;
  switch (nodeOf(run)?.nodeType) {
    case 'network:wait_reply':
    case 'mail:wait_reply':
      return `${reason}; it waits for a reply, and goes on without one ${nextActionAt}`;
    case 'network:wait_connection':
      return `${reason}; it waits until the person accepts, and goes on without that ${nextActionAt}`;
    default:
      return `${reason}; acts next ${nextActionAt}`;
  }
}

/** Waits of a step that is to act, through an account. */
const ACCOUNT_WAITS: ReadonlySet<string> = new Set(['budget', 'pacing', 'business_hours']);

/** Why a run waits in which nothing is stopped, and what ends it; null: it passes by itself. */
async function waitCause(context: CheckContext, run: Run): Promise<Cause | null> {
  const resume = { tool: 'svc_control_workflow_runs', input: { runIds: [run.id], action: 'resume' } };
  if (run.state === 'paused') return run.due_at === null ? { text: '', ...resume } : null;
  const ids = run.account_id === null ? [] : [run.account_id];
  if (run.wait_reason === 'send_freeze')
    return freezeCause({ ...context, channels: await channelsOf(context, run.workflow_id) }, ids);
  if (run.state === 'waiting' && ACCOUNT_WAITS.has(run.wait_reason ?? '') && run.account_id !== null)
    return accountOf(context, run, run.account_id);
  if (run.state !== 'blocked') return null;
  switch (run.wait_reason) {
    case 'credits': {
      const { text, ...rest } = await creditsCause(context, run.campaign_id);
      return { text: `Leads of the campaign ${text}.`, ...rest };
    }
    case 'account_unhealthy':
      return inWords('Leads of the workflow', await accountCause(context, run.workflow_id, ids));
    case 'unknown_outcome':
      return {
        text: 'The outcome of its last action is not known; an admin of the platform finds out and says it.',
        tool: 'svc_admin_list_dead_letters',
        input: { workspaceId: context.workspaceId },
      };
    case 'claim_held_elsewhere':
      // It ends with the other workflow's run.
      return null;
    default:
      return null;
  }
}

function inWords(who: string, cause: Cause | null): Cause | null {
  return cause && { ...cause, text: `${who} ${cause.text}.` };
}

/** A step that has its time, through an account that would not act then. */
async function accountOf(context: CheckContext, run: Run, accountId: string): Promise<Cause | null> {
  const account = await context.tx.row<{ able: boolean }>(
    `select n.status = 'ok' and not n.paused as able from network_account n where n.id = $1`,
    [accountId],
  );
  if (account?.able === false)
    return inWords('Leads of the workflow', await accountCause(context, run.workflow_id, [accountId]));
  if (run.wait_reason !== 'budget') return null;
  const workflow = await requireWorkflow(context.tx, run.workflow_id).catch(() => null);
  const cause = workflow && (await budgetCause(context, workflow, [accountId]));
  return inWords('Leads of the workflow', cause);
}
