import { messageOf } from '../../base/errors.ts';
import { usableText } from '../../base/usable-text.ts';
import { seededJitter } from '../../domain/random.ts';
import { CallError } from '../../providers/call-error.ts';
import type { CallResult } from '../../store/node-calls.ts';
import type { GrantedCall } from './granted-call.ts';

const MINUTE_MS = 60_000;
/** Waits between tries, product time. Source: catalog `webhook.delivery`. */
const RETRIES_MS = [1, 5, 30, 120, 720, 1_440].map((minutes) => minutes * MINUTE_MS);
/** Tries after the first of a question: whoever waits for a text does not wait for a day. What is handed over waits as long as a webhook. */
const SHORT_RETRIES = 4;
const MAX_ERROR = 500;

/** What a failed try of a call proves, and what follows. Anything that is no CallError proves nothing. */
export function callVerdict(error: unknown, call: GrantedCall, dispatched: boolean, now: number): CallResult {
  const { callId, type } = call;
  const text = usableText(messageOf(error), MAX_ERROR);
  const kind = error instanceof CallError ? error.kind : dispatched ? 'lost' : 'not_sent';
  // Whose secret a receiver does not know it may know after its next start; what it is asked stays the same.
  if (kind === 'refused' || (kind === 'auth' && type.outward !== 'webhook')) {
    return { callId, result: 'settled', outcome: type.failedOutcome, error: text };
  }
  if (kind === 'lost' && !type.repeatable) return { callId, result: 'unknown', error: text };
  const wait = retriesOf(call)[call.tries - 1];
  if (wait === undefined) return { callId, result: 'settled', outcome: type.failedOutcome, error: text };
  const asked = error instanceof CallError ? (error.retryAfterMs ?? 0) : 0;
  const jitter = seededJitter(wait / 4, callId, call.tries);
  return { callId, result: 'retry', error: text, retryAt: now + Math.max(wait + jitter, asked) };
}

/** Whether a try that fails is followed by no other. */
export function isLastTry(call: GrantedCall): boolean {
  return call.tries > retriesOf(call).length;
}

function retriesOf({ type }: GrantedCall): readonly number[] {
  return type.outward === null ? RETRIES_MS.slice(0, SHORT_RETRIES) : RETRIES_MS;
}
