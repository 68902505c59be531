import type { JsonObject } from '../base/json.ts';
import type { RunState, WaitReason } from '../domain/vocabulary.ts';
import { arrayText } from '../postgres/array-text.ts';
import type { Tx } from '../postgres/database.ts';
import type { ClaimLane } from './claim-lane.ts';

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

/** Locks up to `limit` due runs of the claim's workspace, of one lane's accounts if it says so; `busy` are left out (their effect is under way). */
export async function claimDue(
  tx: Tx,
  now: number,
  limit: number,
  busy: readonly string[],
  lane: ClaimLane | null = null,
): Promise<RunRow[]> {
  return tx.named<RunRow>('claim_due', `select ${RUN_COLUMNS} from app.claim_due($1, $2, $3, $4) r`, [
    now,
    limit,
    arrayText(busy),
    lane,
  ]);
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

/** A run and what it was when it was claimed. */
export interface RunChange {
  before: RunRow;
  after: RunRow;
}

/** Writes a batch of runs back: those that only moved by a narrow statement, the others whole. */
export async function writeRuns(tx: Tx, changes: readonly RunChange[]): Promise<void> {
  const moved = changes.filter(onlyMoved).map((change) => change.after);
  const whole = changes.filter((change) => !onlyMoved(change)).map((change) => change.after);
  await Promise.all([
    moved.length > 0 ? moveRuns(tx, moved) : undefined,
    whole.length > 0 ? writeWhole(tx, whole) : undefined,
  ]);
}

/** Whether nothing changed but where the run stands, until when, and its send. */
function onlyMoved({ before, after }: RunChange): boolean {
  return (
    before.accountId === after.accountId &&
    before.graphVersion === after.graphVersion &&
    before.endedAt === after.endedAt &&
    before.endReason === after.endReason &&
    sameJson(before.facts, after.facts) &&
    sameJson(before.arms, after.arms)
  );
}

function sameJson(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}

async function moveRuns(tx: Tx, runs: readonly RunRow[]): Promise<void> {
  await tx.named(
    'move_runs',
    `update run r set node_id = u.node_id, state = u.state, wait_reason = u.wait_reason, due_at = u.due_at, entered_at = u.entered_at, send_id = u.send_id,
       version = r.version + 1
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::uuid[]) as u (id, node_id, state, wait_reason, due_at, entered_at, send_id)
     where r.id = u.id`,
    [...placesOf(runs), arrayText(runs.map((run) => run.sendId))],
  );
}

/** Id, node, state, reason, due and entry times, as arrays. */
function placesOf(runs: readonly RunRow[]): string[] {
  return [
    arrayText(runs.map((run) => run.id)),
    arrayText(runs.map((run) => run.nodeId)),
    arrayText(runs.map((run) => run.state)),
    arrayText(runs.map((run) => run.waitReason)),
    arrayText(runs.map((run) => run.dueAt)),
    arrayText(runs.map((run) => run.enteredAt)),
  ];
}

async function writeWhole(tx: Tx, runs: readonly RunRow[]): Promise<void> {
  await tx.named(
    'write_runs',
    `update run r set node_id = u.node_id, state = u.state, wait_reason = u.wait_reason, due_at = u.due_at, entered_at = u.entered_at,
       account_id = u.account_id, arms = u.arms::jsonb, facts = u.facts::jsonb, send_id = u.send_id, graph_version = u.graph_version,
       ended_at = u.ended_at, end_reason = u.end_reason, version = r.version + 1
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::uuid[], $11::int[], $12::bigint[], $13::text[])
       as u (id, node_id, state, wait_reason, due_at, entered_at, account_id, arms, facts, send_id, graph_version, ended_at, end_reason)
     where r.id = u.id`,
    [
      ...placesOf(runs),
      arrayText(runs.map((run) => run.accountId)),
      arrayText(runs.map((run) => (run.arms ? JSON.stringify(run.arms) : null))),
      arrayText(runs.map((run) => JSON.stringify(run.facts))),
      arrayText(runs.map((run) => run.sendId)),
      arrayText(runs.map((run) => run.graphVersion)),
      arrayText(runs.map((run) => run.endedAt)),
      arrayText(runs.map((run) => run.endReason)),
    ],
  );
}

/** One line of a run's history. */
export interface RunEvent {
  runId: string;
  /** Epoch ms UTC, product time. */
  at: number;
  /** Catalog enums.eventKind. */
  kind: string;
  nodeId: string | null;
  actor: string;
  text: string;
  data: JsonObject;
}

/** Appends history in one statement. */
export async function appendEvents(tx: Tx, workspaceId: string, events: readonly RunEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.named(
    'append_events',
    `insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
     select $1, u.run_id, u.at, u.kind, u.node_id, u.actor, u.text, u.data::jsonb
     from unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) as u (run_id, at, kind, node_id, actor, text, data)`,
    [
      workspaceId,
      arrayText(events.map((event) => event.runId)),
      arrayText(events.map((event) => event.at)),
      arrayText(events.map((event) => event.kind)),
      arrayText(events.map((event) => event.nodeId)),
      arrayText(events.map((event) => event.actor)),
      arrayText(events.map((event) => event.text)),
      arrayText(events.map((event) => JSON.stringify(event.data))),
    ],
  );
}
