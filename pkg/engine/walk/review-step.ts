import type { JsonObject } from '../../base/json.ts';
import type { CompiledNode } from '../../domain/graph.ts';
import { REVIEW_EXPIRED, reviewExpiresAt } from '../../domain/review-expiry.ts';
import { reviewFlags } from '../../domain/review-flags.ts';
import { nextSendNode, sendsBehind } from '../../nodes/next-send.ts';
import type { EffectNode, ReviewNode, StepInput } from '../../nodes/node-type.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { NewReview, ReviewRow } from '../../store/reviews/review-items.ts';
import { ownTextStep } from '../calls/own-text-step.ts';
import { senderOf } from '../ledger/effect-sender.ts';
import { pickAccount } from '../ledger/pick-account.ts';
import { isUnreachable } from '../ledger/unreachable.ts';
import { draftsHere, forgetApproved } from './drafts-here.ts';
import { longestText } from './longest-text.ts';
import { isToRedraft, redraft } from './redraft.ts';
import { tellExpired, waitForPerson } from './review-deadline.ts';
import { end, leave, leaveWithout } from './run-moves.ts';
import type { AdvanceContext } from './step.ts';
import { type Advance, logEvent } from './step.ts';
import { stepInput } from './step-input.ts';

/** flow:review: shows the draft of the next send node and waits for the decision; expiry never sends. */
export function reviewStep(walk: Advance, context: AdvanceContext, input: StepInput, type: ReviewNode<never>): void {
  const { node } = input;
  const { now } = context;
  const send = nextSendNode(context.graph, node.nodeId);
  const item = latest(walk, context, node.nodeId, send);
  const config = node.config as never;
  if (item && !isToRedraft(item)) {
    const { memberIds: reviewers } = type.reviewers(config);
    decide(walk, context, node, item, { expired: type.onExpire(config), rejected: 'rejected', reviewers });
    return;
  }
  if (item && redraft(walk, context, node, send ?? node, item)) return;
  const sendType = send ? nodeTypeOf(send.nodeType) : undefined;
  if (!send || sendType?.kind !== 'effect') {
    leaveApproved(walk, now, node);
    return;
  }
  const accountId =
    sendType.channel === 'mail' ? senderOf(walk, context, send, sendType) : networkAccount(walk, context);
  if (isUnreachable(walk, context, sendType, accountId)) {
    leaveApproved(walk, now, node);
    return;
  }
  const asked = askedBy(node, type.reviewers(config));
  openReview(walk, context, { at: node, send, type: sendType, accountId, asked }, type.expiresAfterMs(config));
}

/** What the event of a draft says of those whom the node names: the reader of events tells them; anybody with the right may decide. */
function askedBy(
  node: CompiledNode,
  { memberIds, instructions }: ReturnType<ReviewNode<never>['reviewers']>,
): JsonObject {
  if (memberIds.length === 0) return {};
  return {
    reviewers: [...memberIds],
    ...(node.label === node.nodeType ? {} : { asked: node.label }),
    ...(instructions ? { instructions } : {}),
  };
}

/**
 * The campaign's review mode in front of a send node. True when the send has to wait (or the run took another way);
 * false when its text is approved or needs no review.
 */
export function reviewGate(walk: Advance, context: AdvanceContext, input: StepInput, type: EffectNode<never>): boolean {
  const { node } = input;
  if (!type.reviewable || walk.facts.approved?.[node.nodeId] !== undefined) return false;
  const item = latest(walk, context, node.nodeId, node);
  if (item && !isToRedraft(item)) return decideGate(walk, context, node, item);
  if (item && redraft(walk, context, node, node, item)) return true;
  const review = reviewBefore(walk, context, node);
  // A text that a person had written anew is theirs to see, whatever the campaign reviews by now.
  const anew = walk.facts.redrafts?.[node.nodeId] !== undefined;
  if (!item && !review && !anew && !isGated(walk, context, node, type)) return false;
  const accountId = input.account?.accountId ?? walk.run.accountId;
  const lifeMs = review?.type.expiresAfterMs(review.config);
  const asked = review ? askedBy(review.node, review.type.reviewers(review.config)) : {};
  return openReview(walk, context, { at: node, send: node, type, accountId, asked }, lifeMs);
}

/** The same while nobody can send: the one who has the draft decides about it, and nothing new is put before anybody. */
export function draftDecides(
  walk: Advance,
  context: AdvanceContext,
  node: CompiledNode,
  type: EffectNode<never>,
): boolean {
  if (!type.reviewable || walk.facts.approved?.[node.nodeId] !== undefined) return false;
  const item = latest(walk, context, node.nodeId, node);
  return item !== undefined && !isToRedraft(item) && decideGate(walk, context, node, item);
}

/** What was put before a person is that person's to decide, also when the campaign reviews less by now. */
function decideGate(walk: Advance, context: AdvanceContext, node: CompiledNode, item: ReviewRow): boolean {
  const review = reviewBefore(walk, context, node);
  const reviewers = review ? review.type.reviewers(review.config).memberIds : [];
  return decide(walk, context, node, item, { expired: 'stop', rejected: 'rejected', reviewers });
}

/** The way behind a review may fork: who comes to another text than the one that was shown has it shown as well. */
function reviewBefore(
  { facts }: Advance,
  { graph }: AdvanceContext,
  send: CompiledNode,
): { node: CompiledNode; type: ReviewNode<never>; config: never } | null {
  const node = facts.behindReview === undefined ? undefined : graph.byId.get(facts.behindReview);
  const type = node && nodeTypeOf(node.nodeType);
  if (!node || type?.kind !== 'review' || !sendsBehind(graph, node.nodeId).includes(send)) return null;
  return { node, type, config: node.config as never };
}

function leaveApproved(walk: Advance, now: number, node: CompiledNode): void {
  walk.facts.behindReview = node.nodeId;
  leave(walk, now, node, 'approved');
}

/** Whether the campaign's review mode puts this text before a person. */
function isGated(
  { facts }: Advance,
  { settings }: AdvanceContext,
  node: CompiledNode,
  type: EffectNode<never>,
): boolean {
  const mode = settings.reviewMode;
  return (
    mode === 'all' ||
    (mode === 'ai_only' && type.usesAi(node.config as never)) ||
    (mode === 'first_touch' && (facts.touches ?? 0) === 0)
  );
}

/**
 * The draft of this visit of the node; a run that was moved back asks anew, and so does one whose approved text has no place
 * in the graph any more: `send` stands where it stood.
 */
function latest(
  walk: Advance,
  context: AdvanceContext,
  nodeId: string,
  send: CompiledNode | null,
): ReviewRow | undefined {
  const mine = draftsHere(walk.run, context.snap);
  const isReplaced = (item: ReviewRow): boolean =>
    item.state === 'approved' && send !== null && item.sendNodeId !== send.nodeId;
  for (const { id } of mine.filter(isReplaced)) walk.closedReviews.push({ id, state: 'cancelled' });
  // In another version of the graph a flow:review may have become a send, and a send a flow:review.
  const isAsked = (item: ReviewRow): boolean => (item.sendNodeId === nodeId) === (send?.nodeId === nodeId);
  return mine.filter((item) => isAsked(item) && !isReplaced(item)).at(-1);
}

/** Takes the way of the decision. Returns true unless the gate is open. */
function decide(
  walk: Advance,
  context: AdvanceContext,
  node: CompiledNode,
  item: ReviewRow,
  ways: { expired: 'skip' | 'stop' | 'reject'; rejected: string; reviewers: readonly string[] },
): boolean {
  const { now } = context;
  const gate = item.nodeId === item.sendNodeId;
  if (item.state === 'approved') {
    walk.facts.approved = { ...walk.facts.approved, [item.sendNodeId]: item.body };
    if (item.subject) walk.facts.approvedSubjects = { ...walk.facts.approvedSubjects, [item.sendNodeId]: item.subject };
    if (!gate) leaveApproved(walk, now, node);
    return !gate;
  }
  if (item.state === 'rejected') {
    if (item.onReject === 'stop_lead') end(walk, now, 'stopped', 'the draft was rejected');
    else leave(walk, now, node, ways.rejected);
    return true;
  }
  if (item.state === 'pending' && item.expiresAt > now) {
    waitForPerson(walk, now, item, ways.reviewers);
    return true;
  }
  if (item.state === 'pending') {
    walk.closedReviews.push({ id: item.id, state: 'expired' });
    logEvent(walk, now, 'review.expired', node.nodeId, { reviewItemId: item.id });
    tellExpired(walk, item, ways.reviewers);
  }
  const way = ways.expired === 'reject' ? 'rejected' : 'expired';
  // Nobody said that the lead is done: without an edge it stops, and can be taken up again.
  if (ways.expired === 'stop' || !node.next.has(way)) end(walk, now, 'stopped', REVIEW_EXPIRED);
  else leave(walk, now, node, way);
  return true;
}

function networkAccount(walk: Advance, context: AdvanceContext): string | null {
  walk.run.accountId ??= pickAccount(walk.run, context);
  return walk.run.accountId;
}

/** What is shown: at which node, for which send, by whom it will be sent. */
interface Shown {
  at: CompiledNode;
  send: CompiledNode;
  type: EffectNode<never>;
  accountId: string | null;
  /** Whom the node asks, as the event has it. */
  asked: JsonObject;
}

/** Drafts the text and asks a person. Returns true (the send waits). */
function openReview(
  walk: Advance,
  context: AdvanceContext,
  { at, send, type, accountId, asked }: Shown,
  ownLifeMs: number | undefined,
): boolean {
  const { run } = walk;
  const { now } = context;
  const expiresAt = reviewExpiresAt(now, ownLifeMs, context.settings.reviewExpiresAfterHours);
  const input = stepInput(walk, context, send, accountId);
  // What was approved before the lead came here once more is not what will be sent.
  forgetApproved(walk, send.nodeId);
  const own = ownTextStep(walk, context, send, accountId);
  if (own === 'waits') return true;
  if (own !== 'ready') {
    if (at === send) leaveWithout(walk, now, at, own);
    else leaveApproved(walk, now, at);
    return true;
  }
  const draft = type.draft(input, send.config as never);
  if (draft && 'missing' in draft) {
    // Nothing to show: the send node itself takes the outcome missing_data.
    if (at === send) leave(walk, now, at, 'missing_data', { missing: draft.missing.join(', ') });
    else leaveApproved(walk, now, at);
    return true;
  }
  const body = draft?.text ?? '';
  const facts = statedFacts(walk, body);
  const id = context.newId();
  walk.newReview = {
    id,
    workflowId: run.workflowId,
    campaignId: run.campaignId,
    runId: run.id,
    leadId: run.leadId,
    accountId,
    nodeId: at.nodeId,
    sendNodeId: send.nodeId,
    channel: type.channel,
    subject: draft?.subject ?? null,
    body,
    facts,
    riskFlags: [
      ...reviewFlags({
        body,
        facts,
        maxLength: longestText(type, input),
        bannedPhrases: [],
        touches: walk.facts.touches ?? 0,
        signalAt: signalIn(body, input),
        firstName: input.lead.firstName,
        now,
      }),
    ],
    createdAt: now,
    expiresAt,
  };
  logEvent(walk, now, 'review.pending', at.nodeId, { reviewItemId: id, ...asked });
  waitForPerson(walk, now, walk.newReview, []);
  return true;
}

/** When the news happened that the text speaks of; null: of none that is known. */
function signalIn(body: string, { signals = [] }: StepInput): number | null {
  return signals.find(({ title }) => title !== '' && body.includes(title))?.occurredAt ?? null;
}

/** The facts of crafted texts that stand in the draft, for the person who decides. */
function statedFacts(walk: Advance, body: string): NewReview['facts'] {
  const crafted = Object.entries(walk.facts.crafted ?? {}).filter(([, text]) => body.includes(text));
  return crafted.flatMap(([label]) =>
    (walk.facts.craftedFacts?.[label] ?? []).map((fact) => ({ ...fact, at: fact.at ?? null })),
  );
}
