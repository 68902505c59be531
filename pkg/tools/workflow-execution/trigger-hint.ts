import type { Tx } from '../../postgres/database.ts';
import { poolStep } from '../search-diagnostics/checks/source-steps.ts';
import { stopChecks } from '../search-diagnostics/checks/stop-checks.ts';
import type { WorkflowRow } from '../workflows/workflow-row.ts';

/** What became of a call. */
interface Outcome {
  /** Who were not tried. */
  left: number;
  /** Below the score. */
  low: number;
  enrolled: number;
  skipped: number;
  /** The campaign's pool was asked, and gave nobody. */
  poolOnly: boolean;
}

/** How a caller goes on; null: nothing is left to say. */
export async function triggerHint(tx: Tx, workflow: WorkflowRow, outcome: Outcome): Promise<string | null> {
  const parts = [
    outcome.enrolled > 0 ? await whatHolds(tx, workflow) : '',
    leftHint(outcome),
    lowHint(outcome),
    outcome.poolOnly && outcome.low === 0 && outcome.enrolled === 0 ? await whyNobody(tx, workflow) : '',
  ];
  return parts.filter((part) => part !== '').join(' ') || null;
}

/** A stop that overrides the workflow's own switch, or a campaign that is not at work: the runs wait for its end. */
async function whatHolds(tx: Tx, workflow: WorkflowRow): Promise<string> {
  const stop = (await stopChecks({ tx }, workflow)).find((check) => !check.ok);
  return stop ? `Who is enrolled waits: ${stop.detail} Call ${stop.nextTool} to let them go on.` : '';
}

function leftHint({ left, enrolled, skipped }: Outcome): string {
  if (left === 0) return '';
  return enrolled === 0 && skipped > 0
    ? `Nobody was enrolled: each of the ${skipped} leads who were tried is skipped for its reason (svc_diagnose of one of them tells more), and ${left} are left: name those whom you mean by leadIds, or put them into a list.`
    : `${left} leads are left: call svc_trigger_workflow again with a new idempotencyKey, or with a higher maxLeads (at most 10000).`;
}

function lowHint({ low }: Outcome): string {
  return low === 0
    ? ''
    : `${low} leads are below the scoreMin of the campaign, which keeps them out of it: svc_get_icp_scores explains their scores; to take them all the same, call again with ignoreScore: true.`;
}

/** Without leadIds and leadListId those are taken whose score qualifies: says which step towards that is missing. */
async function whyNobody(tx: Tx, workflow: WorkflowRow): Promise<string> {
  const row = await tx.row<{ n: number }>(
    `select count(distinct x.lead_id)::int as n
     from lead_score x
     join campaign c on c.id = x.campaign_id
     where x.workspace_id = $1 and x.campaign_id = $2 and x.total >= app.score_min(c.settings)`,
    [workflow.workspace_id, workflow.campaign_id],
  );
  const { text, tool } = await poolStep({ tx, workspaceId: workflow.workspace_id }, workflow.campaign_id, row?.n ?? 0);
  return `Nobody was enrolled from the campaign's pool. ${text} Call ${tool}, or name leads by leadIds or leadListId.`;
}
