import type { JsonObject } from '../../base/json.ts';
import { actionRow } from '../../domain/actions.ts';
import { DEFAULT_BUSINESS_HOURS, type SendHours, spreadOpening } from '../../domain/business-hours.ts';
import type { CompiledNode } from '../../domain/graph.ts';
import { outOfPatience } from '../../domain/patience.ts';
import { textLength } from '../../domain/review-flags.ts';
import type { Draft, EffectNode, StepInput } from '../../nodes/node-type.ts';
import { ownTextNode } from '../../nodes/own-text.ts';
import { EXECUTOR_ENDED, type SendRow } from '../../store/ledger/ledger.ts';
import { ownTextStep, ownTextTold } from '../calls/own-text-step.ts';
import { senderOf } from '../ledger/effect-sender.ts';
import { mailTarget, personTarget, threadAfter } from '../ledger/effect-target.ts';
import { isUnreachable, NO_PROFILE } from '../ledger/unreachable.ts';
import { hoursOf } from '../settings.ts';
import { forgetApproved } from './drafts-here.ts';
import { longestText } from './longest-text.ts';
import { draftDecides, reviewGate } from './review-step.ts';
import { block, leave, leaveWithout, wait, waitForAnswer } from './run-moves.ts';
import type { AdvanceContext } from './step.ts';
import { type Advance, logEvent } from './step.ts';
import { stepInput } from './step-input.ts';

/** A draft without gaps. */
type Text = Exclude<Draft, { missing: readonly string[] }>;

const HOUR_MS = 3_600_000;
/** Tries whose executor ended first: that says nothing about the person, unless it is what ends them. */
const MAX_TRIES_ENDED = 20;
/** A dead letter waits for a person; the run looks again this much later. */
const DEAD_LETTER_MS = 30 * 24 * HOUR_MS;

/** A node that acts on the outside: takes the result of its send, or plans one and asks the ledger. */
export function effectStep(walk: Advance, context: AdvanceContext, input: StepInput, type: EffectNode<never>): void {
  if (walk.run.sendId && !isOfOwnText(walk, context, input.node) && !settled(walk, context, input, type)) return;
  plan(walk, context, input, type);
}

/** Whether what the run waits for is the text that is written for this node, and not its send. */
function isOfOwnText({ run }: Advance, { snap }: AdvanceContext, node: CompiledNode): boolean {
  return ownTextNode(node) !== null && snap.calls.get(run.sendId ?? '') !== undefined;
}

/** True when the step has to be planned anew. */
function settled(walk: Advance, context: AdvanceContext, input: StepInput, type: EffectNode<never>): boolean {
  const { run } = walk;
  const { now } = context;
  const send = context.snap.sends.get(run.sendId ?? '');
  if (!send) {
    run.sendId = null;
    return true;
  }
  switch (send.state) {
    case 'confirmed':
      confirmed(walk, context, input, type, send);
      return false;
    case 'failed':
      return failed(walk, now, input, send);
    case 'unknown':
      waitForOutcome(walk, context, input, type, send);
      return false;
    default:
      wait(walk, 'pacing', now + 60_000);
      return false;
  }
}

function confirmed(
  walk: Advance,
  context: AdvanceContext,
  input: StepInput,
  type: EffectNode<never>,
  send: SendRow,
): void {
  const { now } = context;
  const { nodeId } = input.node;
  rememberTouch(walk, type, send, now);
  if (type.reviewable) delete walk.facts.behindReview;
  logSent(walk, nodeId, send, now);
  for (const item of context.snap.reviews.get(walk.run.id) ?? []) {
    if (item.state !== 'approved' || item.sendNodeId !== nodeId) continue;
    walk.closedReviews.push({ id: item.id, state: 'sent' });
  }
  const told = { sendId: send.id, ...ownTextTold(walk, nodeId) };
  leave(walk, now, input.node, send.outcome ?? type.confirmedOutcome, told);
}

/** True when a failure that proves that nothing was done is worth another try; its wait was the settlement's, and an account that is healthy again ends it. */
function failed(walk: Advance, now: number, input: StepInput, send: SendRow): boolean {
  const { nodeId } = input.node;
  walk.run.sendId = null;
  if (send.outcome === 'cancelled') return true;
  if (send.outcome === 'not_connected') {
    delete walk.facts.connected;
    delete walk.facts.connectedAt;
  }
  if (send.outcome !== null || givenUp(walk, now, nodeId, send)) {
    logEvent(walk, now, 'message.failed', nodeId, { sendId: send.id, reason: send.error ?? '' });
    leave(walk, now, input.node, send.outcome ?? 'failed', { reason: send.error ?? '' });
    return false;
  }
  return true;
}

/** Counts a failure; who was unlucky with executors has as much patience as everybody. */
function givenUp({ facts }: Advance, now: number, nodeId: string, send: SendRow): boolean {
  const ended = send.error === EXECUTOR_ENDED;
  const counter = ended ? `${nodeId}/ended` : nodeId;
  const tries = (facts.tries?.[counter] ?? 0) + 1;
  facts.tries = { ...facts.tries, [counter]: tries };
  if (ended) return tries >= MAX_TRIES_ENDED;
  facts.failingSince ??= send.settledAt ?? now;
  return outOfPatience(tries, facts.failingSince, now);
}

const failuresOf = ({ facts }: Advance, nodeId: string): number => facts.tries?.[nodeId] ?? 0;

function waitForOutcome(
  walk: Advance,
  context: AdvanceContext,
  input: StepInput,
  type: EffectNode<never>,
  send: SendRow,
): void {
  const { now } = context;
  if (send.maybe) {
    rememberTouch(walk, type, send, now);
    leave(walk, now, input.node, type.confirmedOutcome, { sendId: send.id, maybe: true });
    return;
  }
  if (send.deadLetterState === 'open') {
    walk.run.state = 'blocked';
    walk.run.waitReason = 'unknown_outcome';
    walk.run.dueAt = now + DEAD_LETTER_MS;
    return;
  }
  wait(walk, 'unknown_outcome', now + HOUR_MS);
}

function rememberTouch(walk: Advance, type: EffectNode<never>, send: SendRow, now: number): void {
  if (send.action === 'connection_request' && send.state === 'confirmed')
    walk.facts.requestedAt = send.settledAt ?? now;
  if (send.action === 'withdraw_request') delete walk.facts.requestedAt;
  if (send.action === 'mail') walk.facts.mail = threadAfter(send);
  if (type.channel === 'profile') return;
  walk.facts.touches = (walk.facts.touches ?? 0) + 1;
  walk.facts.lastTouchAt = send.dispatchedAt ?? now;
}

function logSent(walk: Advance, nodeId: string, send: SendRow, now: number): void {
  const kind = actionRow(send.action)?.event;
  if (kind)
    walk.events.push({
      runId: walk.run.id,
      at: send.settledAt ?? now,
      kind,
      nodeId,
      actor: 'engine',
      text: send.body ?? '',
      data: {
        sendId: send.id,
        [send.action === 'mail' ? 'providerAccountId' : 'networkAccountId']: send.accountId,
      },
    });
}

/** Everything that must hold before the ledger is asked; each guard leaves the run waiting, moved on, or blocked. */
function plan(walk: Advance, context: AdvanceContext, first: StepInput, type: EffectNode<never>): void {
  // A lead without address, or whose address bounced, needs no mailbox.
  if (type.channel === 'mail' && needless(walk, context, first, type)) return;
  const accountId = senderOf(walk, context, first.node, type);
  if (!accountId) {
    if (!draftDecides(walk, context, first.node, type))
      block(walk, context.now, 'account_unhealthy', context.now + HOUR_MS);
    return;
  }
  const input = stepInput(walk, context, first.node, accountId);
  if (needless(walk, context, input, type) || unreachable(walk, context, input, type, accountId)) return;
  if (reviewGate(walk, context, input, type)) return;
  const own = ownTextStep(walk, context, first.node, accountId);
  if (own === 'waits') return;
  if (own !== 'ready') {
    leaveWithout(walk, context.now, first.node, own);
    return;
  }
  const draft = textFor(walk, context, input, type);
  if (draft === undefined) return;
  request(walk, context, input, type, draft, accountId);
}

/** The node itself needs no action (already connected …) or not yet. */
function needless(walk: Advance, context: AdvanceContext, input: StepInput, type: EffectNode<never>): boolean {
  const { now } = context;
  const config = input.node.config as never;
  const done = type.precheck(input, config);
  const notBefore = type.notBefore?.(input, config) ?? null;
  if (done) {
    takeBackDrafts(walk, context, input.node);
    if (typeof done === 'string') leave(walk, now, input.node, done);
    else leave(walk, now, input.node, done.outcome, { reason: done.reason });
  } else if (notBefore !== null && notBefore > now) wait(walk, 'duration', notBefore);
  else return false;
  return true;
}

/** Nobody is asked about what is not sent, and what was approved is not sent later. */
function takeBackDrafts(walk: Advance, { snap }: AdvanceContext, node: CompiledNode): void {
  const { run, closedReviews } = walk;
  forgetApproved(walk, node.nodeId);
  for (const { id, sendNodeId, state } of snap.reviews.get(run.id) ?? []) {
    if (sendNodeId === node.nodeId && (state === 'pending' || state === 'approved'))
      closedReviews.push({ id, state: 'needless' });
  }
}

/** Nobody decides about, and no account keeps time for, what can not be done: the step fails as it would at the network. */
function unreachable(
  walk: Advance,
  context: AdvanceContext,
  { node }: StepInput,
  type: EffectNode<never>,
  accountId: string,
): boolean {
  if (!isUnreachable(walk, context, type, accountId)) return false;
  takeBackDrafts(walk, context, node);
  logEvent(walk, context.now, 'message.failed', node.nodeId, { reason: NO_PROFILE });
  leave(walk, context.now, node, type.refusedOutcome('rejected'), { reason: NO_PROFILE });
  return true;
}

/** The text to send, null for actions without one; undefined when the run left the node for want of a text. */
function textFor(
  walk: Advance,
  context: AdvanceContext,
  input: StepInput,
  type: EffectNode<never>,
): Text | null | undefined {
  const { now } = context;
  const draft = approvedText(walk, input) ?? type.draft(input, input.node.config as never);
  if (draft && 'missing' in draft) {
    leave(walk, now, input.node, 'missing_data', { missing: draft.missing.join(', ') });
    return undefined;
  }
  const longest = longestText(type, input);
  if (draft && longest !== null && textLength(draft.text) > longest) {
    leave(walk, now, input.node, 'failed', { reason: 'too_long' });
    return undefined;
  }
  return draft;
}

/** What a person approved for this node. */
function approvedText(walk: Advance, { node }: StepInput): Text | null {
  const text = walk.facts.approved?.[node.nodeId];
  const subject = walk.facts.approvedSubjects?.[node.nodeId];
  return text === undefined ? null : { text, ...(subject ? { subject } : {}) };
}

/** Hours that bind an action of this run through an account. */
export function sendHoursOf(walk: Advance, { snap, settings }: AdvanceContext, accountId: string): SendHours {
  const { run } = walk;
  const account = snap.accounts.get(accountId);
  const lead = snap.leads.get(run.leadId);
  const own = hoursOf(account?.businessHours) ?? { ...DEFAULT_BUSINESS_HOURS, timezoneMode: 'account' as const };
  return {
    account: own,
    accountTimezone: account?.timezone ?? 'UTC',
    campaign: settings.businessHours,
    leadTimezone: lead?.timezone ?? null,
  };
}

/** When an action of this run may go out, at or after `at` (epoch ms product time), spread over the opening. */
export function openingFor(walk: Advance, context: AdvanceContext, at: number, accountId: string): number {
  const opening = spreadOpening(at, sendHoursOf(walk, context, accountId), walk.run.id);
  return Number.isFinite(opening) ? opening : at + 7 * 24 * HOUR_MS;
}

function request(
  walk: Advance,
  context: AdvanceContext,
  input: StepInput,
  type: EffectNode<never>,
  draft: Text | null,
  accountId: string,
): void {
  const { run } = walk;
  const budgets = type.budgets(input.node.config as never, draft?.text ?? null);
  const sendId = context.newId();
  const opensAt = openingFor(walk, context, context.now, accountId);
  const target: JsonObject = {
    ...(type.channel === 'mail' ? mailTarget(context, sendId, accountId) : personTarget(walk, context, accountId)),
    ...(draft?.subject ? { subject: draft.subject } : {}),
    // Where an answer to the mail before lies, no matter who writes now and in whatever thread.
    ...(walk.facts.mail && type.channel !== 'profile' ? { wroteFrom: walk.facts.mail.accountId } : {}),
    ...type.details?.(input.node.config as never, input),
  };
  // Whatever came back before: this mail has not.
  if (type.channel === 'mail') delete walk.facts.mailBounced;
  // Stands in case the ledger gives no answer for this run (its lead vanished meanwhile).
  waitForAnswer(walk, 'pacing', context.now + 60_000);
  walk.request = {
    claim: {
      runId: run.id,
      sendId,
      nodeId: input.node.nodeId,
      accountId,
      action: budgets[0],
      budgets: [...budgets],
      once: type.sendOnce === 'once_per_account' ? 'account' : 'node',
      body: draft?.text ?? null,
      target,
      ...(opensAt > context.now ? { notBefore: opensAt } : {}),
    },
    node: input.node,
    type,
    failures: failuresOf(walk, input.node.nodeId),
  };
}
