import { UserError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { UNSUBSCRIBE_PLACE } from '../../domain/mail-footer.ts';
import { type RiskFlag, reviewFlags, textLength } from '../../domain/review-flags.ts';
import { textLimit } from '../../domain/text-limits.ts';
import type { Tx } from '../../postgres/database.ts';
import { planAction } from '../../store/actions/actions.ts';
import { approveDraft, rejectDraft } from '../../store/reviews/decide-drafts.ts';
import { lookAtRun, stopRun } from '../../store/runs/control-runs.ts';
import { appendEvents } from '../../store/runs/run-events.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { isAnsweredBesides, personOfRun, whereAnswered } from '../../store/signals/agent-replies.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput, wrongState } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ReviewRow } from './review-row.ts';

/** @throws UserError when the item was decided, is past its deadline, or the lead replied meanwhile */
export function requirePending(row: ReviewRow, now: number): void {
  const over = row.state === 'expired' || (row.state === 'pending' && row.expires_at <= now);
  if (over && row.conversation_id !== null) throw wrongState(`Review item "${row.id}" has expired`, 'svc_send_message');
  if (over)
    throw wrongState(
      `Review item "${row.id}" has expired (svc_list_review_items tells those that wait); action "resume" takes up run "${row.run_id}" with a new draft, if that stopped it`,
      'svc_control_workflow_runs',
    );
  if (row.state !== 'pending')
    throw wrongState(`Review item "${row.id}" is ${row.state} already`, 'svc_list_review_items');
}

/** @throws UserError when the draft changed after it was read */
export function requireVersion(row: ReviewRow, expected: number | undefined): void {
  if (expected === undefined || expected === row.version) return;
  throw wrongState(`The draft is at version ${row.version}, not ${expected}`, 'svc_get_review_item');
}

/** Longest text of the draft's channel through the account that will send it; null: it has none. */
async function longestOf(tx: Tx, { channel, account_id }: ReviewRow): Promise<number | null> {
  const account = await tx.row<{ tier: string }>('select tier from network_account where id = $1', [account_id]);
  return textLimit(channel, account?.tier ?? null);
}

/**
 * What is longer than the channel allows would be refused when it is sent.
 * @returns the longest text that the channel allows
 * @throws UserError
 */
export async function requireLength(tx: Tx, row: ReviewRow, body: string, next: string): Promise<number | null> {
  const longest = await longestOf(tx, row);
  if (longest === null || textLength(body) <= longest) return longest;
  const through = longest === textLimit(row.channel, null) ? '' : ' through this account';
  throw new UserError(
    `Invalid input: body: ${textLength(body)} characters, a ${row.channel} allows ${longest}${through}. Call ${next}.`,
  );
}

/** The risk flags of an item with another text. What is no matter of the text stays; so does old news, which the new text may still tell. */
export function flagsOf(row: ReviewRow, body: string, maxLength: number | null, now: number): readonly RiskFlag[] {
  const had = (flag: RiskFlag): boolean => row.risk_flags.includes(flag);
  const flags = reviewFlags({
    body,
    facts: row.facts,
    maxLength,
    bannedPhrases: [],
    touches: had('first_touch') ? 0 : 1,
    signalAt: null,
    now,
  });
  const kept = (['stale_signal', 'name_changed'] as const).filter(had);
  return [...flags, ...kept];
}

/**
 * A text that a person wrote is sent as it stands; only a mail's place for its unsubscribe address is filled.
 * @throws UserError when it holds a placeholder, which the lead would read
 */
export function requireFilled(channel: string, path: string, text: string): void {
  const rest = channel === 'mail' ? text.replaceAll(UNSUBSCRIBE_PLACE, '') : text;
  if (!rest.includes('{{') && !rest.includes('}}')) return;
  throw invalidInput(path, 'holds a placeholder; the text is sent as it stands, so write what it stands for');
}

const WITH_SUBJECT: ReadonlySet<string> = new Set(['mail', 'inmail']);

/** The subject as it is sent: one line. @throws UserError when it is blank, holds a placeholder, or the channel has none */
export function subjectLine(channel: string, subject: string): string {
  if (!WITH_SUBJECT.has(channel)) throw invalidInput('subject', `a ${channel} has none`);
  requireFilled(channel, 'subject', subject);
  const line = subject.replace(/\s+/g, ' ').trim();
  if (line === '') throw invalidInput('subject', 'must not be blank; leave it out to keep it');
  return line;
}

/**
 * Approves the text as it stands. Approval is no send: budget, hours, suppression and replies are checked again at
 * dispatch. @returns when the run acts next (epoch ms)
 */
export async function approve(ctx: ToolContext, tx: Tx, row: ReviewRow): Promise<number> {
  const now = ctx.clocks.product.now();
  await requireLength(tx, row, row.body, 'svc_edit_review_item');
  await requireContactable(tx, row, now);
  await approveDraft(tx, row.id, { by: actorOf(ctx), now });
  if (row.conversation_id !== null) await planAnswer(ctx, tx, row, row.conversation_id);
  await resume(ctx, tx, row, { decision: 'approved', version: row.version });
  return now;
}

/**
 * Rejects; what becomes of the lead stands in `on_reject` and is carried out by the engine. An answer stands in place of no step that
 * the engine could do: its run is stopped here.
 * @throws UserError when an answer is to be written anew, which nobody does
 */
export async function reject(
  ctx: ToolContext,
  tx: Tx,
  row: ReviewRow,
  reason: string,
  then: 'skip_step' | 'recraft' | 'stop_lead',
): Promise<void> {
  const now = ctx.clocks.product.now();
  const isAnswer = row.conversation_id !== null;
  if (isAnswer && then === 'recraft')
    throw wrongState('An answer in a conversation is not written anew; change its text', 'svc_edit_review_item');
  await rejectDraft(tx, row.id, { by: actorOf(ctx), now, reason, then });
  if (isAnswer && then === 'stop_lead') await stopLead(ctx, tx, row, now);
  await resume(ctx, tx, row, { decision: 'rejected', then });
}

/** Ends the run of a lead whose answer was rejected, unless it is over. */
async function stopLead(ctx: ToolContext, tx: Tx, row: ReviewRow, now: number): Promise<void> {
  const sql = 'select 1 from run where id = $1 and ended_at is null for no key update';
  if (!(await tx.row(sql, [row.run_id]))) return;
  const reason = 'the draft was rejected';
  await stopRun(tx, row.run_id, now, reason);
  const event = { runId: row.run_id, at: now, kind: 'run.completed' as const, nodeId: null, text: '' };
  await appendEvents(tx, row.workspace_id, [{ ...event, actor: actorOf(ctx), data: { state: 'stopped', reason } }]);
}

/** The recipient must not have been suppressed since the draft was written: the rule is the ledger's, at dispatch. */
async function requireContactable(tx: Tx, row: ReviewRow, now: number): Promise<void> {
  const hit = await tx.row('select 1 from app.suppressed_leads($1, $2, array[$3::uuid], $4) limit 1', [
    row.workspace_id,
    row.campaign_id,
    row.lead_id,
    now,
  ]);
  if (hit) {
    throw new UserError(
      'The recipient is suppressed (exclusion, unsubscribe, bounce, complaint or erasure). Call svc_check_signal_exclusion.',
      'Suppressed',
    );
  }
}

/** @throws UserError when somebody answered meanwhile, or is about to: the person is not to read two answers */
async function requireUnanswered(tx: Tx, row: ReviewRow, chatId: string): Promise<void> {
  const { account_id: accountId, answers_at: at } = row;
  if (accountId === null || at === null) return;
  const personId = await personOfRun(tx, row.run_id);
  if (!(await isAnsweredBesides(tx, { accountId, chatId, personId, at, except: null }))) return;
  throw wrongState('Somebody answered the person meanwhile; reject the draft', 'svc_list_messages');
}

/**
 * Plans the answer in its conversation, as a message by hand is: it leaves at the next human-like slot, and stops where the person writes
 * again before that.
 */
async function planAnswer(ctx: ToolContext, tx: Tx, row: ReviewRow, conversationId: string): Promise<void> {
  const now = ctx.clocks.product.now();
  const where = await whereAnswered(tx, conversationId);
  if (!where || row.account_id === null) throw wrongState('The conversation is gone', 'svc_list_conversations');
  const { chatId, providerId } = where;
  await requireUnanswered(tx, row, chatId);
  const at = row.answers_at;
  const answers: JsonObject = at === null ? {} : { knownAt: at, expectedAt: at, answersAt: at };
  const planned = await planAction(
    tx,
    {
      id: ctx.ids.uuid(),
      workspaceId: row.workspace_id,
      campaignId: row.campaign_id,
      leadId: row.lead_id,
      accountId: row.account_id,
      action: 'message',
      budgets: ['message'],
      once: `review:${row.id}`,
      body: row.body,
      target: { chatId, ...(providerId === '' ? {} : { providerId }), ...answers, reviewItemId: row.id },
      dueAt: now,
      expiresAt: null,
      by: actorOf(ctx),
      scheduledRunId: null,
    },
    now,
  );
  if ('actionId' in planned) return;
  throw wrongState(`The answer can not be sent (${planned.refusal})`, 'svc_list_messages');
}

/** Lets the engine look at the run now. */
async function resume(ctx: ToolContext, tx: Tx, row: ReviewRow, data: Record<string, string | number>): Promise<void> {
  const now = ctx.clocks.product.now();
  // The run of an answer waits for something else, or is over.
  if (row.conversation_id === null) await lookAtRun(tx, row.run_id, now);
  const event = {
    runId: row.run_id,
    at: now,
    kind: 'review.decided' as const,
    nodeId: row.node_id,
    actor: actorOf(ctx),
    text: '',
    data,
  };
  await appendEvents(tx, row.workspace_id, [event]);
  await wakeWorkspace(tx, row.workspace_id, now, 'review decided');
}
