import type { JsonObject } from '../../base/json.ts';
import type { RunState, WaitReason } from '../../domain/vocabulary.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';
import type { DequeueLane } from './dequeue-lane.ts';

/** A run as the engine works on it: claimed, so it had not ended; all times epoch ms UTC, product time. */
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
}

const RUN_COLUMNS = `r.id, r.workflow_id as "workflowId", r.campaign_id as "campaignId", r.lead_id as "leadId", r.person_id as "personId",
    r.graph_version as "graphVersion", r.node_id as "nodeId", r.state, r.wait_reason as "waitReason", r.due_at as "dueAt", r.entered_at as "enteredAt",
    r.account_id as "accountId", r.arms, r.facts, r.send_id as "sendId"`;

/**
 * Locks up to `limit` due runs of the claim's workspace, of one lane's accounts if it says so; `busy` are left out (their effect is under way).
 * @param from looks at those due from then on first (epoch ms), and at all others if they are too few; null: the longest due first
 * @returns the longest due first
 */
export async function dequeue(
  tx: Tx,
  now: number,
  limit: number,
  busy: readonly string[],
  lane: DequeueLane | null = null,
  from: number | null = null,
): Promise<RunRow[]> {
  return tx.named<RunRow>('claim_due', `select ${RUN_COLUMNS} from app.claim_due($1, $2, $3, $4, $5) r`, [
    now,
    limit,
    arrayText(busy),
    lane,
    from,
  ]);
}

/** A run whose send was just settled. */
export interface Continuation {
  runId: string;
  sendId: string;
}

/** Locks those of the runs that still stand at their send, due or not; who is paused, or has an answer of the person, goes on at its own time. */
export async function dequeueContinuations(tx: Tx, answered: readonly Continuation[]): Promise<RunRow[]> {
  if (answered.length === 0) return [];
  return tx.named<RunRow>(
    'claim_answered',
    `select ${RUN_COLUMNS}
     from unnest($1::uuid[], $2::uuid[]) as k (run_id, send_id) join run r on r.id = k.run_id
     where r.send_id = k.send_id and r.ended_at is null and r.state not in ('paused', 'replied')
     for no key update of r skip locked`,
    [arrayText(answered.map((one) => one.runId)), arrayText(answered.map((one) => one.sendId))],
  );
}
