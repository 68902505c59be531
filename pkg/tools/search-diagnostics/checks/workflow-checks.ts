import { requireWorkflow } from '../../workflows/workflow-row.ts';
import { accountCause } from './account-cause.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { type BlockingWait, stopsWorkspace } from './check-names.ts';
import { sourceCheck } from './source-check.ts';
import { channelsOf, creditsCause, freezeCause, STOPS, stopChecks } from './stop-checks.ts';
import { workspaceChecks } from './workspace-checks.ts';

/** Reasons that a person can do something about, with the tool. */
export const FIXES: Readonly<Record<BlockingWait, readonly [string, string]>> = {
  budget: ['wait for budget of their account', 'svc_get_network_account_budgets'],
  account_unhealthy: ['wait because no account is healthy', 'svc_get_network_account_health'],
  review: ['wait for a person', 'svc_list_review_items'],
  credits: ['wait for credits, which a platform admin grants', 'svc_admin_adjust_credits'],
  send_freeze: ['wait because sending is frozen', 'svc_admin_set_send_freeze'],
  unknown_outcome: ['wait until the outcome of a send is known', 'svc_admin_list_dead_letters'],
};

/** Waits whose check names the accounts. */
const ABOUT_ACCOUNTS = ['budget', 'account_unhealthy', 'unknown_outcome'];

/** Why a workflow does nothing: its own state, its campaign, its leads, then what stops the workspace. */
export async function workflowChecks(asked: CheckContext): Promise<Check[]> {
  const { tx, targetId } = asked;
  const workflow = await requireWorkflow(tx, targetId);
  const context = { ...asked, channels: await channelsOf(asked, targetId) };
  const stops = await stopChecks(context, workflow);
  const own: Check[] = [
    workflow.graph_problem === null
      ? pass('graph_valid', 'The graph is valid.')
      : fail(
          'graph_valid',
          `The last change of the graph was not taken: ${workflow.graph_problem} The version before it is in force; svc_get_workflow shows it.`,
          'svc_update_workflow',
        ),
    ...stops,
    await sourceCheck(context, workflow),
  ];
  const workspace = (await workspaceChecks(context)).filter((check) => stopsWorkspace(check.check));
  const stopped = [...stops, ...workspace].find((check) => !check.ok && STOPS.has(check.check));
  return [...own, ...workspace, ...(await waitChecks(context, workflow.campaign_id, stopped))];
}

interface Waiting {
  wait_reason: string;
  count: number;
  /** Accounts of the leads, some at most. */
  ids: string[];
  /** The first accounts that the leads wait for. */
  accounts: string | null;
}

async function waitChecks(context: CheckContext, campaignId: string, stopped: Check | undefined): Promise<Check[]> {
  const { tx, workspaceId, targetId } = context;
  const rows = await tx.rows<Waiting>(
    `select r.wait_reason, r.count, coalesce(r.ids, '{}') as ids, a.accounts
     from (
       select
         wait_reason,
         count(*)::int as count,
         array_agg(distinct account_id) filter (where account_id is not null) as ids
       from run
       where workflow_id = $1 and ended_at is null and wait_reason is not null
       group by 1
     ) r
     left join lateral (
       select string_agg(x.id, ', ') as accounts
       from (
         select n.id
         from network_account n
         where n.id = any (r.ids)
           or (
             r.ids is null
             and r.wait_reason = 'account_unhealthy'
             and (n.paused or n.status <> 'ok')
             and exists (select 1 from account_link l where l.account_id = n.id and l.workspace_id = $2)
           )
         order by n.paused desc, n.id limit 3
       ) x
     ) a on true
     order by r.count desc`,
    [targetId, workspaceId],
  );
  const checks: Check[] = [];
  for (const row of rows) checks.push(waitCheck(row, await fixOf(context, campaignId, stopped, row)));
  return checks;
}

/** What leads wait for in words, and what ends it; undefined: it passes by itself. */
async function fixOf(
  context: CheckContext,
  campaignId: string,
  stopped: Check | undefined,
  { wait_reason: reason, ids }: Waiting,
): Promise<readonly [string, string] | undefined> {
  if (reason === 'credits') {
    const { text, tool } = await creditsCause(context, campaignId);
    return [text, tool];
  }
  if (reason === 'send_freeze') {
    if (stopped)
      return [`wait because of this: ${stopped.detail.replace(/\.$/, '')}`, stopped.nextTool ?? 'svc_get_workflow'];
    const cause = await freezeCause(context, ids);
    return cause ? [`wait: ${cause.text.replace(/\.$/, '')}`, cause.tool] : undefined;
  }
  if (reason === 'account_unhealthy') {
    const { text, tool } = await accountCause(context, context.targetId, ids);
    return [text, tool];
  }
  return isBlocking(reason) ? FIXES[reason] : undefined;
}

function waitCheck(
  { wait_reason: reason, count, accounts }: Waiting,
  fix: readonly [string, string] | undefined,
): Check {
  if (!fix || !isBlocking(reason))
    return pass(`waiting_${reason}`, `${count} leads wait (${reason}); this passes by itself.`);
  const [text, tool] = fix;
  const named = accounts && ABOUT_ACCOUNTS.includes(reason) ? ` (${accounts})` : '';
  return fail(`waiting_${reason}`, `${count} leads ${text}${named}.`, tool);
}

function isBlocking(reason: string): reason is BlockingWait {
  return Object.hasOwn(FIXES, reason);
}
