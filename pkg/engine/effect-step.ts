import type { JsonObject } from '../base/json.ts';
import { DEFAULT_BUSINESS_HOURS, jitteredOpening, nextSendOpening } from '../domain/business-hours.ts';
import type { EffectNode, StepInput } from '../nodes/node-type.ts';
import type { SendRow } from '../store/ledger.ts';
import { pickAccount } from './pick-account.ts';
import { reviewGate } from './review-step.ts';
import { block, leave, wait } from './run-moves.ts';
import { hoursOf } from './settings.ts';
import { logEvent, type Walk } from './step.ts';
import { stepInput } from './step-input.ts';
import type { WalkContext } from './walk.ts';

const HOUR_MS = 3_600_000;
/** Tries of an effect whose failures prove that nothing was done and may pass. */
const MAX_TRIES = 5;
/** A dead letter waits for a person; the run looks again this much later. */
const DEAD_LETTER_MS = 30 * 24 * HOUR_MS;

/** A node that acts on the outside: takes the result of its send, or plans one and asks the ledger. */
export function effectStep(walk: Walk, context: WalkContext, input: StepInput, type: EffectNode<never>): void {
  if (walk.run.sendId && !settled(walk, context, input, type)) return;
  plan(walk, context, input, type);
}

/** True when the step has to be planned anew. */
function settled(walk: Walk, context: WalkContext, input: StepInput, type: EffectNode<never>): boolean {
  const { run, facts } = walk;
  const { now } = context.snap;
  const { node } = input;
  const send = context.snap.sends.get(run.sendId ?? '');
  if (!send) {
    run.sendId = null;
    return true;
  }
  switch (send.state) {
    case 'confirmed':
      rememberTouch(walk, type, send, now);
      logSent(walk, node.nodeId, send, now);
      for (const item of context.snap.reviews.get(run.id) ?? []) {
        if (item.state === 'approved' && item.sendNodeId === node.nodeId)
          walk.closedReviews.push({ id: item.id, state: 'sent' });
      }
      leave(walk, now, node, send.outcome ?? type.confirmedOutcome, { sendId: send.id });
      return false;
    case 'failed':
      run.sendId = null;
      if (send.outcome === 'cancelled') return true;
      if (send.outcome === null && (facts.tries?.[node.nodeId] ?? 0) + 1 < MAX_TRIES) {
        facts.tries = { ...facts.tries, [node.nodeId]: (facts.tries?.[node.nodeId] ?? 0) + 1 };
        return true;
      }
      logEvent(walk, now, 'message.failed', node.nodeId, { sendId: send.id, reason: send.error ?? '' });
      leave(walk, now, node, send.outcome ?? 'failed', { reason: send.error ?? '' });
      return false;
    case 'unknown':
      waitForOutcome(walk, context, input, type, send);
      return false;
    default:
      wait(walk, 'pacing', now + 60_000);
      return false;
  }
}

function waitForOutcome(
  walk: Walk,
  context: WalkContext,
  input: StepInput,
  type: EffectNode<never>,
  send: SendRow,
): void {
  const { now } = context.snap;
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

function rememberTouch(walk: Walk, type: EffectNode<never>, send: SendRow, now: number): void {
  if (send.action === 'connection_request' && send.state === 'confirmed')
    walk.facts.requestedAt = send.settledAt ?? now;
  if (send.action === 'withdraw_request') delete walk.facts.requestedAt;
  if (type.channel === 'profile') return;
  walk.facts.touches = (walk.facts.touches ?? 0) + 1;
  walk.facts.lastTouchAt = send.dispatchedAt ?? now;
}

function logSent(walk: Walk, nodeId: string, send: SendRow, now: number): void {
  const kind = {
    connection_request: 'connection.requested',
    message: 'message.sent',
    inmail: 'message.sent',
    withdraw_request: 'connection.withdrawn',
  }[send.action];
  if (kind)
    walk.events.push({
      runId: walk.run.id,
      at: send.settledAt ?? now,
      kind,
      nodeId,
      actor: 'engine',
      text: send.body ?? '',
      data: { sendId: send.id, networkAccountId: send.accountId },
    });
}

function plan(walk: Walk, context: WalkContext, first: StepInput, type: EffectNode<never>): void {
  const { run } = walk;
  const { snap } = context;
  const { node } = first;
  const config = node.config as never;
  run.accountId = chooseAccount(walk, context);
  if (!run.accountId) return block(walk, snap.now, 'account_unhealthy', snap.now + HOUR_MS);
  const input = stepInput(walk, context, node);
  const done = type.precheck(input, config);
  if (done) return leave(walk, snap.now, node, done);
  const notBefore = type.notBefore?.(input, config) ?? null;
  if (notBefore !== null && notBefore > snap.now) return wait(walk, 'duration', notBefore);
  if (reviewGate(walk, context, input, type)) return;
  const body = bodyOf(walk, input, type);
  if (typeof body !== 'string' && body !== null)
    return leave(walk, snap.now, node, 'missing_data', { missing: body.missing.join(', ') });
  if (body !== null && type.maxLength !== null && body.length > type.maxLength)
    return leave(walk, snap.now, node, 'failed', { reason: 'too_long' });
  const opensAt = openingFor(walk, context, snap.now);
  if (opensAt > snap.now) return wait(walk, 'business_hours', opensAt);
  request(walk, context, input, type, body);
}

/** The run's account while it is usable or has already touched the person, else a new choice. */
function chooseAccount(walk: Walk, context: WalkContext): string | null {
  const { run, facts } = walk;
  const current = run.accountId ? context.snap.accounts.get(run.accountId) : undefined;
  if (current && (current.usable || (facts.touches ?? 0) > 0 || facts.requestedAt !== undefined)) return current.id;
  return pickAccount(run, context);
}

function bodyOf(walk: Walk, input: StepInput, type: EffectNode<never>): string | null | { missing: readonly string[] } {
  const approved = walk.facts.approved?.[input.node.nodeId];
  if (approved !== undefined) return approved;
  const draft = type.draft(input, input.node.config as never);
  if (!draft) return null;
  return 'missing' in draft ? { missing: draft.missing } : draft.text;
}

/** When an action of this run may go out, at or after `at` (epoch ms product time), spread over the opening. */
export function openingFor(walk: Walk, context: WalkContext, at: number): number {
  const { run } = walk;
  const account = context.snap.accounts.get(run.accountId ?? '');
  const lead = context.snap.leads.get(`${run.campaignId}/${run.leadId}`);
  const accountHours = hoursOf(account?.businessHours) ?? {
    ...DEFAULT_BUSINESS_HOURS,
    timezoneMode: 'account' as const,
  };
  const campaign = context.settings.businessHours;
  const opening = nextSendOpening(at, {
    account: accountHours,
    accountTimezone: account?.timezone ?? 'UTC',
    campaign,
    leadTimezone: lead?.timezone ?? null,
  });
  if (!Number.isFinite(opening.at)) return at + 7 * 24 * HOUR_MS;
  return jitteredOpening(at, opening.at, campaign, run.id);
}

function request(
  walk: Walk,
  context: WalkContext,
  input: StepInput,
  type: EffectNode<never>,
  body: string | null,
): void {
  const { run } = walk;
  const budgets = type.budgets(input.node.config as never);
  const lead = context.snap.leads.get(`${run.campaignId}/${run.leadId}`);
  const relation = context.snap.relations.get(`${run.accountId}/${run.personId}`);
  const target: JsonObject = {
    profileUrl: lead?.profileUrl ?? '',
    publicId: lead?.profileId ?? '',
    ...(relation?.providerId ? { providerId: relation.providerId } : {}),
    ...(relation?.chatId ? { chatId: relation.chatId } : {}),
    ...(relation?.invitationId ? { invitationId: relation.invitationId } : {}),
    ...(relation?.chatSyncedAt ? { chatSyncedAt: relation.chatSyncedAt } : {}),
  };
  // Stands in case the ledger gives no answer for this run (its lead vanished meanwhile).
  wait(walk, 'pacing', context.snap.now + 60_000);
  walk.request = {
    claim: {
      runId: run.id,
      sendId: context.newId(),
      nodeId: input.node.nodeId,
      accountId: run.accountId ?? '',
      action: budgets[0],
      budgets: [...budgets],
      once: type.sendOnce === 'once_per_account' ? 'account' : 'node',
      body,
      target,
    },
    node: input.node,
    type,
    input,
  };
}
