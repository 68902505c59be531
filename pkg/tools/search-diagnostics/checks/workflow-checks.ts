import { requireWorkflow } from '../../workflows/workflow-row.ts';
import { type Check, type CheckContext, fail, pass } from './check.ts';
import { workspaceChecks } from './workspace-checks.ts';

/** Reasons that a person can do something about, with the tool. */
const FIXES: Record<string, [string, string]> = {
  budget: ['wait for budget of their account', 'svc_get_network_account_budgets'],
  account_unhealthy: ['wait because no account is healthy', 'svc_list_network_accounts'],
  review: ['wait for a person', 'svc_list_review_items'],
  credits: ['wait for credits', 'svc_get_credit_balance'],
  send_freeze: ['wait because sending is frozen', 'svc_admin_set_send_freeze'],
  unknown_outcome: ['wait until the outcome of a send is known', 'svc_admin_list_dead_letters'],
};

/** Why a workflow does nothing: its own state, its campaign, its leads, then what stops the workspace. */
export async function workflowChecks(context: CheckContext): Promise<Check[]> {
  const { tx, targetId } = context;
  const workflow = await requireWorkflow(tx, targetId);
  const facts = await tx.row<{ state: string; pool: number; live: number; held: string | null }>(
    `select c.state,
       (select count(distinct s.lead_id) from lead_score s where s.campaign_id = c.id and s.total >= coalesce((c.settings ->> 'scoreMin')::float8, 50))::int as pool,
       (select count(*) from run r where r.workflow_id = $1 and r.ended_at is null)::int as live,
       (select h.held_by from hold h where h.kind = 'workflow' and h.id = $1) as held
     from campaign c where c.id = $2`,
    [workflow.id, workflow.campaign_id],
  );
  const state = facts?.state ?? 'unknown';
  const own: Check[] = [
    workflow.graph_problem === null
      ? pass('graph_valid', 'The graph is valid.')
      : fail(
          'graph_valid',
          `The last change of the graph was not taken: ${workflow.graph_problem}`,
          'svc_validate_workflow',
        ),
    workflow.enabled
      ? pass('enabled', 'The workflow is enabled.')
      : fail('enabled', 'The workflow is disabled.', 'svc_update_workflow_status'),
    facts?.held
      ? fail('hold', `The workflow was stopped by ${facts.held}.`, 'svc_update_workflow_status')
      : pass('hold', 'Nobody stopped it.'),
    state === 'active'
      ? pass('campaign_active', 'The campaign is active.')
      : fail('campaign_active', `The campaign is ${state}.`, 'svc_update_campaign'),
    (facts?.pool ?? 0) > 0 || (facts?.live ?? 0) > 0
      ? pass('leads_qualify', `${facts?.pool ?? 0} leads qualify, ${facts?.live ?? 0} are under way.`)
      : fail(
          'leads_qualify',
          'No lead reaches the score of the campaign, and none is enrolled.',
          'svc_trigger_icp_scoring',
        ),
  ];
  const workspace = (await workspaceChecks(context)).filter((check) =>
    ['workspace_running', 'send_freeze', 'accounts_linked', 'accounts_healthy', 'executor'].includes(check.check),
  );
  return [...own, ...workspace, ...(await waitChecks(context))];
}

async function waitChecks({ tx, targetId }: CheckContext): Promise<Check[]> {
  const rows = await tx.rows<{ wait_reason: string; count: number }>(
    `select wait_reason, count(*)::int as count from run where workflow_id = $1 and ended_at is null and wait_reason is not null group by 1 order by 2 desc`,
    [targetId],
  );
  return rows.map((row) => {
    const fix = FIXES[row.wait_reason];
    if (!fix)
      return pass(`waiting_${row.wait_reason}`, `${row.count} leads wait (${row.wait_reason}); this passes by itself.`);
    return fail(`waiting_${row.wait_reason}`, `${row.count} leads ${fix[0]}.`, fix[1]);
  });
}
