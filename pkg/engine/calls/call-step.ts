import type { CallAsk } from '../../nodes/call-ask.ts';
import type { CallNode, StepInput } from '../../nodes/node-type.ts';
import type { CallRow } from '../../store/calls/node-calls.ts';
import { pickAccount } from '../ledger/pick-account.ts';
import { leave, wait, waitForAnswer } from '../walk/run-moves.ts';
import type { Advance, AdvanceContext } from '../walk/step.ts';
import { stepInput } from '../walk/step-input.ts';

const MINUTE_MS = 60_000;
/** A push whose fate nobody learnt within a day becomes a dead letter; its key stays, so that it is never made again. */
const GIVE_UP_MS = 24 * 60 * MINUTE_MS;

/** A node that asks a system outside: takes the result of its call, or plans one and asks the ledger. */
export function callStep(walk: Advance, context: AdvanceContext, input: StepInput, type: CallNode<never>): void {
  const { run } = walk;
  const call = run.sendId ? context.snap.calls.get(run.sendId) : undefined;
  if (call?.state === 'settled' && call.outcome !== 'cancelled') taken(walk, context, input, type, call);
  else if (call?.state === 'unknown') unknown(walk, context, input, type, call);
  else if (call && isOpen(call)) wait(walk, waitReason(type), context.now + MINUTE_MS);
  else {
    if (call?.state !== 'claimed') run.sendId = null;
    plan(walk, context, input, type);
  }
}

/** Whether the request may be under way. */
export function isOpen({ state }: CallRow): boolean {
  return state === 'dispatched';
}

/** Why a run waits for a call. */
export function waitReason(type: CallNode<never>): 'enrichment' | 'duration' {
  return type.nodeType === 'lead:enrich' ? 'enrichment' : 'duration';
}

function taken(walk: Advance, context: AdvanceContext, input: StepInput, type: CallNode<never>, call: CallRow): void {
  const { now } = context;
  const { node } = input;
  const foreign = call.runId !== walk.run.id;
  const own = call.outcome ?? type.failedOutcome;
  const outcome = foreign && type.seenOutcome !== null && own !== type.failedOutcome ? type.seenOutcome : own;
  const take = type.take?.(outcome, call.result, input, node.config as never) ?? {};
  if (take.facts) Object.assign(walk.facts, take.facts);
  if (take.writes) walk.writes.push(...take.writes);
  const { response, found, status, facts } = call.result;
  leave(walk, now, node, outcome, {
    callId: call.id,
    ...(call.credits > 0 && !foreign ? { credits: call.credits } : {}),
    ...(call.error ? { reason: call.error } : {}),
    ...(call.ref ? { ref: call.ref } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof response === 'string' ? { response } : {}),
    ...(Array.isArray(found) ? { found: found.join(', ') } : {}),
    ...(Array.isArray(facts) && take.facts?.crafted ? { crafted: node.label, playbook: playbookIn(call.result) } : {}),
    ...(foreign ? { alreadyDone: true } : {}),
  });
}

/** Which playbook a text was written under. */
export function playbookIn({ playbookSource, playbookVersion }: CallRow['result']): string {
  return [playbookSource, playbookVersion].filter((part) => typeof part === 'string' && part !== '').join(' ');
}

function unknown(walk: Advance, context: AdvanceContext, input: StepInput, type: CallNode<never>, call: CallRow): void {
  const { now } = context;
  const { node } = input;
  const last = now - (call.dispatchedAt ?? now) > GIVE_UP_MS;
  const ask = type.ask(input, node.config as never);
  if (!('call' in ask) && last) {
    // The lead has lost what the look-up needs.
    leave(walk, now, node, type.failedOutcome, { callId: call.id, reason: 'its outcome did not become known' });
    return;
  }
  wait(walk, 'unknown_outcome', now + MINUTE_MS);
  if ('call' in ask) walk.call = { job: last ? 'look_up_last' : 'look_up', callId: call.id, type, node, ask };
}

function plan(walk: Advance, context: AdvanceContext, first: StepInput, type: CallNode<never>): void {
  const { now } = context;
  const { node } = first;
  const config = node.config as never;
  // A crafted text names its sender.
  if (type.billable === 'ai_craft') walk.run.accountId ??= pickAccount(walk.run, context);
  const input = stepInput(walk, context, node);
  const ask = type.ask(input, config);
  if (!('call' in ask)) {
    leave(walk, now, node, ask.outcome, { reason: ask.reason });
    return;
  }
  askOutside(walk, context, { input, type, ask });
}

/** A question that a node asks, with what it asks it of. */
interface Asking {
  input: StepInput;
  type: CallNode<never>;
  ask: CallAsk;
}

/** Wishes to ask the ledger for the call, in this batch. */
export function askOutside(walk: Advance, context: AdvanceContext, { input, type, ask }: Asking): void {
  const { node } = input;
  const config = node.config as never;
  waitForAnswer(walk, waitReason(type), context.now + MINUTE_MS);
  walk.call = {
    job: 'perform',
    type,
    node,
    ask,
    request: {
      runId: walk.run.id,
      callId: context.newId(),
      holdId: context.newId(),
      nodeId: node.nodeId,
      nodeType: node.nodeType,
      onceKey: type.onceKey(input, config),
      repeatable: type.repeatable,
      outward: type.outward,
      integrationId: 'integrationId' in ask ? ask.integrationId : null,
      url: ask.call === 'webhook' ? ask.url : null,
      credits: 0,
      action: null,
      ...(type.charge ? type.charge(input, config) : type.price(config)),
    },
  };
}
