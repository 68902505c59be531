import type { Tx } from '../../postgres/database.ts';

/** A draft that waits for a person, as the engine sees it. */
export interface ReviewRow {
  id: string;
  runId: string;
  nodeId: string;
  sendNodeId: string;
  state: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'sent';
  subject: string | null;
  body: string;
  onReject: string | null;
  /** Why a person decided so. */
  reason: string | null;
  createdAt: number;
  /** Epoch ms product time. */
  expiresAt: number;
}

/** How a draft ends: nobody decided in time, it was sent, it has no place any more, its step is not needed, or another one was written in its place. */
export interface ClosedReview {
  id: string;
  state: 'expired' | 'sent' | 'cancelled' | 'needless' | 'redrafted';
}

/** Review items of these runs that are not over (sent or cancelled ones are, and those in whose place another one was written). */
export async function readReviews(tx: Tx, runIds: readonly string[]): Promise<ReviewRow[]> {
  if (runIds.length === 0) return [];
  return tx.rows<ReviewRow>(
    `select
       id, run_id as "runId", node_id as "nodeId", send_node_id as "sendNodeId", state, subject, body,
       on_reject as "onReject", reason, created_at as "createdAt", expires_at as "expiresAt"
     from review_item
     where run_id = any ($1::uuid[])
       and conversation_id is null
       and state in ('pending', 'approved', 'rejected', 'expired')
       and on_reject is distinct from 'redrafted'
     order by created_at`,
    [runIds],
  );
}

export interface NewReview {
  id: string;
  workflowId: string;
  campaignId: string;
  runId: string;
  leadId: string;
  accountId: string | null;
  nodeId: string;
  sendNodeId: string;
  channel: string;
  subject: string | null;
  body: string;
  /** Sourced facts that the text states, with the sentences that do and a hash of the source; `at` epoch ms. */
  facts: readonly { text: string; source: string; at: number | null; hash?: string; segments?: readonly string[] }[];
  riskFlags: string[];
  createdAt: number;
  expiresAt: number;
  /** enums.playbookSource; absent: none. */
  playbookSource?: string;
  /** Of an answer in a conversation, which stands in place of no step: where, and when the message was written that it answers. */
  conversationId?: string;
  answersAt?: number;
}

/**
 * Puts drafts before people. What was approved for the same send and is asked for once more was never sent, and will not be; of answers
 * each one stands for itself.
 * @returns ids of those that are new: a message is answered by one draft
 */
export async function insertReviews(tx: Tx, workspaceId: string, items: readonly NewReview[]): Promise<Set<string>> {
  if (items.length === 0) return new Set();
  const ofSteps = items.filter((item) => item.conversationId === undefined);
  await tx.exec(
    `update review_item i set state = 'cancelled', reason = 'another draft took its place'
     from unnest($1::uuid[], $2::text[]) as n (run_id, send_node_id)
     where i.run_id = n.run_id
       and i.send_node_id = n.send_node_id
       and i.conversation_id is null
       and i.state = 'approved'`,
    [ofSteps.map((item) => item.runId), ofSteps.map((item) => item.sendNodeId)],
  );
  const rows = await tx.rows<{ id: string }>(
    `insert into review_item (
       id, workspace_id, workflow_id, campaign_id, run_id, lead_id, account_id, node_id, send_node_id, channel,
       subject, body, original_body, facts, risk_flags, created_at, expires_at, playbook_source, conversation_id,
       answers_at
     )
     select
       q."id", $1, q."workflowId", q."campaignId", q."runId", q."leadId", q."accountId", q."nodeId",
       q."sendNodeId", q.channel, q.subject, q.body, q.body, coalesce(q.facts, '[]'), q."riskFlags",
       q."createdAt", q."expiresAt", coalesce(q."playbookSource", 'none'), q."conversationId", q."answersAt"
     from jsonb_to_recordset($2::jsonb) as q (
       "id" uuid, "workflowId" text, "campaignId" text, "runId" uuid, "leadId" uuid, "accountId" text,
       "nodeId" text, "sendNodeId" text, channel text, subject text, body text, facts jsonb, "riskFlags" text[],
       "createdAt" bigint, "expiresAt" bigint, "playbookSource" text, "conversationId" uuid, "answersAt" bigint
     )
     on conflict (workspace_id, conversation_id, answers_at) where conversation_id is not null do nothing
     returning id`,
    [workspaceId, JSON.stringify(items)],
  );
  return new Set(rows.map((row) => row.id));
}

/** Ends items. What a person decided or the engine closed meanwhile stays as it is. */
export async function closeReviews(tx: Tx, now: number, closed: readonly ClosedReview[]): Promise<void> {
  if (closed.length === 0) return;
  await tx.exec(
    `update review_item i
     set
       state = case c.state when 'redrafted' then i.state when 'needless' then 'cancelled' else c.state end,
       decided_at = coalesce(i.decided_at, $2),
       decided_by = coalesce(i.decided_by, 'engine'),
       on_reject = case c.state when 'redrafted' then 'redrafted' else i.on_reject end,
       reason = case c.state
         when 'cancelled' then 'another draft took its place'
         when 'needless' then 'its step is not needed any more'
         else i.reason
       end
     from unnest($1::uuid[], $3::text[]) as c (id, state)
     where i.id = c.id
       and (
         i.state = case c.state when 'expired' then 'pending' when 'redrafted' then 'rejected' else 'approved' end
         or c.state = 'needless' and i.state = 'pending'
       )`,
    [closed.map((one) => one.id), now, closed.map((one) => one.state)],
  );
}
