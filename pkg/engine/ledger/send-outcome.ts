import { messageOf } from '../../base/errors.ts';
import { usableText } from '../../base/usable-text.ts';
import { retryWaitMs } from '../../domain/patience.ts';
import type { EffectWords } from '../../nodes/node-type.ts';
import { type NetworkAction, ProviderError, REACTIONS } from '../../providers/network/network-provider.ts';
import { PROVIDER_AWAY } from '../../store/accounts/outage.ts';
import type { SendResult } from '../../store/ledger/ledger.ts';

const MINUTE_MS = 60_000;
/** An account rests this long after a limit signal of the network (GetSales pauses five hours). */
export const LIMIT_REST_MS = 5 * 60 * MINUTE_MS;
/** First look-up after an unknown outcome, real ms; it may only find, not rule out. */
export const FIRST_LOOKUP_MS = 500;

export interface FailureClass {
  result: Omit<SendResult, 'sendId'>;
  /** Rest of the account in ms product time, when the network said that it did too much. */
  restMs: number | null;
  /** Why it rests, for people; '' where nobody knows more. */
  restReason: string;
  /** The provider did not answer, as in an outage. Never for mail: what a mail server defers is about whom it is for. */
  away: boolean;
}

/** The send whose action failed. */
export interface FailedSend {
  sendId: string;
  type: EffectWords;
  /** Tries before this one that failed of themselves. */
  failures: number;
  /** Whether `dispatched` was committed: before that every failure proves that nothing was done. */
  dispatched: boolean;
}

/** What a thrown error says about the send. After the dispatch, anything that is not a ProviderError proves nothing. */
export function classifyFailure(error: unknown, send: FailedSend, now: number): FailureClass {
  const found = byKind(error, send, now);
  const rest = error instanceof ProviderError ? error.rest : undefined;
  return rest ? { ...found, restMs: Math.max(found.restMs ?? 0, rest.ms), restReason: rest.reason } : found;
}

function byKind(error: unknown, send: FailedSend, now: number): FailureClass {
  const text = usableText(messageOf(error), 500);
  const { kind, took } = error instanceof ProviderError ? error : { kind: 'unknown_outcome' as const, took: undefined };
  const askedMs = error instanceof ProviderError ? (error.retryAfterMs ?? 0) : 0;
  switch (kind) {
    case 'unknown_outcome':
      return send.dispatched ? lostAnswer(text, send, now) : again(text, send, now, 0);
    case 'rate_limited':
      return again(text, send, now, Math.max(askedMs, 15 * MINUTE_MS), true);
    case 'limit':
      return again(text, send, now, Math.max(askedMs, LIMIT_REST_MS), true);
    case 'unavailable_before_send':
      return again(text, send, now, askedMs);
    default:
      return {
        result: {
          result: 'failed',
          outcome: send.type.refusedOutcome(kind),
          error: text,
          ...(took === undefined ? {} : { keptUnits: took }),
        },
        restMs: null,
        restReason: '',
        away: false,
      };
  }
}

function lostAnswer(text: string, send: FailedSend, now: number): FailureClass {
  const evidence = [{ at: now, what: 'lost_answer', text }];
  const result = { result: 'unknown' as const, error: text, lookupAfterMs: FIRST_LOOKUP_MS, evidence };
  return { result, restMs: null, restReason: '', away: ofProvider(send) };
}

/** Whether a failure may be the provider's own: what a mail server defers is about the recipient. */
const ofProvider = (send: FailedSend): boolean => send.type.channel !== 'mail';

/** Nothing was done, and the reason may pass; `rests`: the whole account waits for what was asked. */
function again(text: string, send: FailedSend, now: number, askedMs: number, rests = false): FailureClass {
  const retryAt = now + retryWaitMs(send.failures, send.sendId, askedMs);
  const tries = send.failures + 1;
  // Who names a wait is there.
  const away = askedMs === 0 && ofProvider(send);
  const evidence = away ? { evidence: [{ at: now, what: PROVIDER_AWAY, text }] } : {};
  return {
    result: { result: 'failed', outcome: null, error: text, retryAt, tries, ...evidence },
    restMs: rests ? askedMs : null,
    restReason: '',
    away,
  };
}

/** The action as the provider takes it, from what the ledger keeps. */
export function actionOf(send: {
  action: string;
  body: string | null;
  target: Record<string, unknown>;
}): NetworkAction {
  const text = (key: string): string => (typeof send.target[key] === 'string' ? (send.target[key] as string) : '');
  const reaction = REACTIONS.find((one) => one === text('reaction'));
  const { skillIds } = send.target;
  return {
    kind: send.action as NetworkAction['kind'],
    providerId: text('providerId'),
    publicId: text('publicId'),
    ...(send.body ? { text: send.body } : {}),
    ...(text('chatId') ? { chatId: text('chatId') } : {}),
    ...(text('invitationId') ? { invitationId: text('invitationId') } : {}),
    ...(text('subject') ? { subject: text('subject') } : {}),
    ...(text('postId') ? { postId: text('postId') } : {}),
    ...(reaction ? { reaction } : {}),
    ...(Array.isArray(skillIds) ? { skillIds: skillIds.filter((id) => typeof id === 'number') } : {}),
  };
}
