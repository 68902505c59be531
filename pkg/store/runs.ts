import type { JsonObject } from '../base/json.ts';
import type { RunState, WaitReason } from '../domain/vocabulary.ts';
import { arrayText } from '../postgres/array-text.ts';
import type { Tx } from '../postgres/database.ts';
import { type ClaimLane, claimLaneSql } from './claim-lane.ts';

/** A run as the engine works on it; all times epoch ms UTC, product time. */
export interface RunRow {
  id: string;
  workflowId: string;
  campaignId: string;
  leadId: string;
  personId: string | null;
  graphVersion: number;
  /** Empty: the graph's entry. */
  nodeId: string;
  state: RunState;
  waitReason: WaitReason | null;
  dueAt: number | null;
  enteredAt: number;
  accountId: string | null;
  arms: Record<string, string> | null;
  facts: JsonObject;
  sendId: string | null;
  endedAt: number | null;
  endReason: string | null;
}

const RUN_COLUMNS = `r.id, r.workflow_id as "workflowId", r.campaign_id as "campaignId", r.lead_id as "leadId", r.person_id as "personId",
    r.graph_version as "graphVersion", r.node_id as "nodeId", r.state, r.wait_reason as "waitReason", r.due_at as "dueAt", r.entered_at as "enteredAt",
    r.account_id as "accountId", r.arms, r.facts, r.send_id as "sendId", r.ended_at as "endedAt", r.end_reason as "endReason"`;

function claimDueText(ofLane: string): string {
  return `select ${RUN_COLUMNS}
  from agenda a join run r on r.id = a.run_id
  where a.workspace_id = $1 and a.due_at <= $2 and r.due_at <= $2 and r.id not in (select unnest($4::uuid[])) ${ofLane}
  order by a.due_at limit $3 for no key update of r skip locked`;
}

/** Texts of the claim of due work, of all and of a lane's accounts; exported so that a test can assert their plans. */
export const CLAIM_DUE = claimDueText('');
export const CLAIM_DUE_OF_LANE = claimDueText(`and ${claimLaneSql('r.account_id')} = $5`);

/** Locks up to `limit` due runs of the workspace, of one lane's accounts if it says so; `busy` are left out (their effect is under way). */
export async function claimDue(
  tx: Tx,
  workspaceId: string,
  now: number,
  limit: number,
  busy: readonly string[],
  lane: ClaimLane | null = null,
): Promise<RunRow[]> {
  const values = [workspaceId, now, limit, busy];
  if (lane !== null) return tx.named<RunRow>('claim_due_of_lane', CLAIM_DUE_OF_LANE, [...values, lane]);
  return tx.named<RunRow>('claim_due', CLAIM_DUE, values);
}

/** A run whose send was just settled. */
export interface AnsweredRun {
  runId: string;
  sendId: string;
}

/** Locks those of the runs that still stand at their send, due or not. */
export async function claimAnswered(tx: Tx, answered: readonly AnsweredRun[]): Promise<RunRow[]> {
  if (answered.length === 0) return [];
  return tx.named<RunRow>(
    'claim_answered',
    `select ${RUN_COLUMNS}
     from unnest($1::uuid[], $2::uuid[]) as k (run_id, send_id) join run r on r.id = k.run_id
     where r.send_id = k.send_id and r.ended_at is null and r.state <> 'paused' for no key update of r skip locked`,
    [arrayText(answered.map((one) => one.runId)), arrayText(answered.map((one) => one.sendId))],
  );
}
