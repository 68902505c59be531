import type { JsonObject } from '../../base/json.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';
import type { ClaimAnswer, ClaimRequest, DispatchAnswer } from '../ledger/ledger.ts';

/** One action to a lead that no run asks for. */
export interface NewAction {
  id: string;
  workspaceId: string;
  /** Whose state and exclusions bind it; null: none's. */
  campaignId: string | null;
  leadId: string;
  accountId: string;
  action: string;
  /** Actions whose budgets give a unit each; the first is the action itself. */
  budgets: readonly [string, ...string[]];
  /**
   * What tells it from others to the person; null: it is done once for account and person, for ever (requests). `post:<id>`: once
   * for account, kind and post, for ever.
   */
  once: string | null;
  body: string | null;
  /** What it needs beyond the person (reaction, subject, invitationId …). */
  target: JsonObject;
  /** At once: neither pace nor hours bind it. Absent: they do. */
  urgent?: boolean;
  /** Only where no other workspace follows the person. Absent: whether or not one does. */
  unclaimed?: boolean;
  /** Epoch ms, product time: when it asks first, and after when it does not begin (null: never too late). */
  dueAt: number;
  expiresAt: number | null;
  /** Address or key of who asks; engine: a schedule. */
  by: string;
  scheduledRunId: string | null;
}

/** Outcome of a message that stopped since the person had written meanwhile, unknown to its writer. */
export const NEWER_MESSAGE = 'newer_message';

/** Why a message that was planned stopped: the person answered after it was planned (app.cancel_on_reply). */
export const CANCELLED_BY_REPLY = 'cancelled_by_reply';

/** What became of a plan. */
export type Planned =
  /** `made`: false where an action with the key was open already. */
  { actionId: string; made: boolean } | { refusal: PlanRefusal };

/** Why an action was not planned. */
export type PlanRefusal = 'no_lead' | 'no_account' | 'no_campaign' | 'suppressed' | 'claimed' | 'already_sent';

/**
 * Plans an action: the executor of the workspace performs it through the send ledger, with the same keys, budgets, pace, look-ups and
 * dead letters as what workflows send.
 * @param now epoch ms, product time
 */
export async function planAction(tx: Tx, action: NewAction, now: number): Promise<Planned> {
  const row = await tx.row<{ actionId: string | null; made: boolean; refusal: PlanRefusal | null }>(
    `select action_id as "actionId", made, refusal
     from app.plan_action($1, $2, $3, $4, $5, $6, $7::text[], $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      action.id,
      action.workspaceId,
      action.campaignId,
      action.leadId,
      action.accountId,
      action.action,
      arrayText(action.budgets),
      action.once,
      action.body,
      JSON.stringify(action.target),
      action.urgent ?? false,
      action.unclaimed ?? false,
      action.dueAt,
      action.expiresAt,
      action.by,
      action.scheduledRunId,
      now,
    ],
  );
  if (row?.actionId) return { actionId: row.actionId, made: row.made };
  return { refusal: row?.refusal ?? 'no_lead' };
}

/** An action whose time has come; times epoch ms, product time. */
export interface DueAction {
  id: string;
  /** Null: of a post, or of a meeting. */
  leadId: string | null;
  personId: string | null;
  /** The post that it publishes a part of, or the change of a calendar that it tells of; null: it is about a person. */
  contentPostId: string | null;
  calendarChangeId: string | null;
  accountId: string;
  action: string;
  budgets: string[];
  body: string | null;
  target: JsonObject;
  urgent: boolean;
  /** When it was planned. */
  createdAt: number;
  expiresAt: number | null;
  /** Tries that failed of themselves, since when, and tries whose executor ended first. */
  tries: number;
  failingSince: number | null;
  endings: number;
}

/**
 * Locks actions of the lease's workspace that are due, the longest due first; those that others hold are passed over.
 * @param actions that this program can perform
 */
export function dueActions(tx: Tx, now: number, actions: readonly string[], limit: number): Promise<DueAction[]> {
  return tx.rows<DueAction>(
    `select
       id, lead_id as "leadId", person_id as "personId", content_post_id as "contentPostId",
       calendar_change_id as "calendarChangeId", account_id as "accountId", action, budgets, body, target, urgent, created_at as "createdAt",
       expires_at as "expiresAt", tries, failing_since as "failingSince", endings
     from action
     where workspace_id = app.workspace() and due_at <= $1 and action = any ($2::text[])
     order by due_at limit $3 for no key update skip locked`,
    [now, arrayText(actions), limit],
  );
}

/** Claims sends for actions that {@link dueActions} locked; `runId` of requests and answers is the action. */
export function claimActions(tx: Tx, now: number, requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]> {
  if (requests.length === 0) return Promise.resolve([]);
  return tx.rows<ClaimAnswer>(
    `select run_id as "runId", granted, refusal, next_at as "nextAt" from app.claim_actions($1, $2)`,
    [now, JSON.stringify(requests)],
  );
}

/** The last check before the outside call; what is refused is cancelled, its units and key are back. */
export function dispatchActions(tx: Tx, now: number, sendIds: readonly string[]): Promise<DispatchAnswer[]> {
  if (sendIds.length === 0) return Promise.resolve([]);
  return tx.rows<DispatchAnswer>(
    `select send_id as "sendId", dispatched, refusal from app.dispatch_actions($1, $2::uuid[])`,
    [now, arrayText(sendIds)],
  );
}

/** Where an action goes that was not granted: it waits, or it is over. Times epoch ms, product time. */
export type ActionMove =
  | { id: string; dueAt: number; waitReason: string }
  | { id: string; end: 'failed' | 'stopped'; outcome: string | null; error: string; at: number };

/** Writes where locked actions go. */
export async function moveActions(tx: Tx, moves: readonly ActionMove[]): Promise<void> {
  if (moves.length === 0) return;
  await tx.exec(
    `update action a
     set
       due_at = m."dueAt",
       wait_reason = m."waitReason",
       state = coalesce(m."end", 'open'),
       outcome = coalesce(m.outcome, a.outcome),
       error = coalesce(m.error, a.error),
       ended_at = m.at
     from jsonb_to_recordset($1) as m (
       id uuid, "dueAt" bigint, "waitReason" text, "end" text, outcome text, error text, at bigint
     )
     where a.id = m.id and a.ended_at is null`,
    [JSON.stringify(moves)],
  );
}

/** When the executor's workspace has an action due next (epoch ms, product time); null: never, or nothing may leave. */
export async function nextAction(tx: Tx, actions: readonly string[]): Promise<number | null> {
  const row = await tx.row<{ at: number | null }>('select app.next_action(app.workspace(), $1::text[]) as at', [
    arrayText(actions),
  ]);
  return row?.at ?? null;
}

/** An action as people see it; times epoch ms, product time. */
export interface ActionView {
  id: string;
  workspaceId: string;
  campaignId: string | null;
  /** Null: of a post. */
  leadId: string | null;
  personId: string | null;
  accountId: string;
  action: string;
  state: 'open' | 'done' | 'failed' | 'stopped';
  /** State of the send of its last try; null: none was claimed yet. */
  sendState: string | null;
  deadLetter: boolean;
  dueAt: number | null;
  waitReason: string | null;
  expiresAt: number | null;
  tries: number;
  outcome: string | null;
  error: string | null;
  /** Of a mail that left: to whom the server refused a copy; null: nobody. */
  refusedCopies: string[] | null;
  createdAt: number;
  endedAt: number | null;
}

/** @returns undefined when the transaction sees no such action */
export function readAction(tx: Tx, id: string): Promise<ActionView | undefined> {
  return tx.row<ActionView>(
    `select
       a.id, a.workspace_id as "workspaceId", a.campaign_id as "campaignId", a.lead_id as "leadId",
       a.person_id as "personId", a.account_id as "accountId", a.action, a.state, s.state as "sendState",
       coalesce(s.dead_letter_state = 'open', false) as "deadLetter", a.due_at as "dueAt",
       a.wait_reason as "waitReason", a.expires_at as "expiresAt", a.tries, a.outcome, coalesce(a.error, s.error) as error,
       s.target -> 'refusedCopies' as "refusedCopies", a.created_at as "createdAt", a.ended_at as "endedAt"
     from action a
     left join send s on s.id = a.send_id
     where a.id = $1`,
    [id],
  );
}

/** Stops what has not left; of others it tells where they stand. @param now epoch ms, product time */
export function stopActions(
  tx: Tx,
  ids: readonly string[],
  now: number,
  reason: string,
): Promise<{ actionId: string; stopped: boolean; state: string | null }[]> {
  return tx.rows('select action_id as "actionId", stopped, state from app.stop_actions($1::uuid[], $2, $3)', [
    arrayText(ids),
    now,
    reason,
  ]);
}

/** How the actions of a scheduled run stand. */
export interface ActionsOfRun {
  open: number;
  done: number;
  failed: number;
  stopped: number;
  /** Failed ones by their outcome. */
  outcomes: Record<string, number>;
  /** When the first open one asks next (epoch ms, product time); null: none, or all are under way. */
  nextAt: number | null;
  /** Some of the open ones. */
  openIds: string[];
}

/** @param ids of open ones that are told at most */
export async function actionsOfRun(tx: Tx, scheduledRunId: string, ids: number): Promise<ActionsOfRun> {
  const rows = await tx.rows<{
    state: ActionView['state'];
    outcome: string;
    n: number;
    nextAt: number | null;
    ids: string[];
  }>(
    `select
       state,
       coalesce(outcome, '') as outcome,
       count(*)::int as n,
       min(due_at) as "nextAt",
       (array_agg(id::text order by due_at, id))[1:$2] as ids
     from action
     where scheduled_run_id = $1
     group by 1, 2`,
    [scheduledRunId, ids],
  );
  const all: ActionsOfRun = { open: 0, done: 0, failed: 0, stopped: 0, outcomes: {}, nextAt: null, openIds: [] };
  for (const { state, outcome, n, ...open } of rows) {
    all[state] += n;
    if (state === 'failed') all.outcomes[outcome] = n;
    if (state === 'open') Object.assign(all, { nextAt: open.nextAt, openIds: open.ids });
  }
  return all;
}
