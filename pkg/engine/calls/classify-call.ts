import { messageOf } from '../../base/errors.ts';
import { usableText } from '../../base/usable-text.ts';
import { seededJitter } from '../../domain/random.ts';
import { WEBHOOK_RETRIES_MS } from '../../domain/webhook-retries.ts';
import { CallError } from '../../providers/call-error.ts';
import type { CallResult } from '../../store/calls/node-calls.ts';
import type { GrantedCall } from './granted-call.ts';

const DAY_MS = 86_400_000;
/** Tries after the first of a question: the one who waits for a text does not wait for a day. What is handed over waits as long as a webhook. */
const SHORT_RETRIES = 4;
const MAX_ERROR = 500;

/** What a failed try of a call proves, and what follows. Anything that is no CallError proves nothing. */
export function classifyCall(error: unknown, call: GrantedCall, dispatched: boolean, now: number): CallResult {
  const { callId, type } = call;
  const text = usableText(messageOf(error), MAX_ERROR);
  const kind = error instanceof CallError ? error.kind : dispatched ? 'lost' : 'not_sent';
  // Whose secret a receiver does not know it may know after its next start; what it is asked stays the same.
  if (kind === 'refused' || ((kind === 'auth' || kind === 'forbidden') && type.outward !== 'webhook')) {
    return { callId, result: 'settled', outcome: type.failedOutcome, error: text };
  }
  if (kind === 'lost' && !type.repeatable) return { callId, result: 'unknown', error: text };
  const wait = waitAfter(call, error instanceof CallError && error.tooMany);
  if (wait === undefined) return { callId, result: 'settled', outcome: type.failedOutcome, error: text };
  const asked = error instanceof CallError ? (error.retryAfterMs ?? 0) : 0;
  const jitter = seededJitter(wait / 4, callId, call.tries);
  return { callId, result: 'retry', error: text, retryAt: now + Math.max(wait + jitter, asked) };
}

/**
 * Who is only asked too often is asked for a day more, as often as before: when thousands of leads come to one node each round of tries
 * serves as many as the provider allows, and the others would be given up for what says nothing of them.
 */
function waitAfter(call: GrantedCall, tooMany: boolean): number | undefined {
  const retries = retriesOf(call);
  const last = retries.at(-1) ?? DAY_MS;
  // The plan of webhooks is told to those who receive them.
  const more = tooMany && call.type.outward !== 'webhook' && call.tries <= retries.length + Math.ceil(DAY_MS / last);
  return retries[call.tries - 1] ?? (more ? last : undefined);
}

/** Whether a try that fails is followed by no other, unless the provider is only asked too often. */
export function isLastTry(call: GrantedCall): boolean {
  return call.tries > retriesOf(call).length;
}

function retriesOf({ type }: GrantedCall): readonly number[] {
  return type.outward === null ? WEBHOOK_RETRIES_MS.slice(0, SHORT_RETRIES) : WEBHOOK_RETRIES_MS;
}
