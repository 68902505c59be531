import { messageOf } from '../base/errors.ts';
import type { EffectNode } from '../nodes/node-type.ts';
import { type NetworkAction, ProviderError, REACTIONS } from '../providers/network/network-provider.ts';
import type { SendResult } from '../store/ledger.ts';

const MINUTE_MS = 60_000;
/** An account rests this long after a limit signal of the network (GetSales pauses five hours). */
export const LIMIT_REST_MS = 5 * 60 * MINUTE_MS;
/** First look-up after an unknown outcome, real ms; it may only find, not rule out. */
export const FIRST_LOOKUP_MS = 500;

/** Actions whose unknowable outcome does no harm: they are never repeated and the run goes on. */
export const HARMLESS: readonly string[] = ['profile_view', 'follow', 'like', 'endorse'];

export interface FailureVerdict {
  result: Omit<SendResult, 'sendId'>;
  /** Rest of the account in ms product time, when the network said that it did too much. */
  restMs: number | null;
}

/** What a thrown error of `perform` says about the send. Anything that is not a ProviderError proves nothing. */
export function verdictOf(error: unknown, type: EffectNode<never>, now: number): FailureVerdict {
  const text = messageOf(error).slice(0, 500);
  if (!(error instanceof ProviderError) || error.kind === 'unknown_outcome') {
    return {
      result: {
        result: 'unknown',
        error: text,
        lookupAfterMs: FIRST_LOOKUP_MS,
        evidence: [{ at: now, what: 'lost_answer', text }],
      },
      restMs: null,
    };
  }
  switch (error.kind) {
    case 'rate_limited':
    case 'limit': {
      const restMs = Math.max(error.retryAfterMs ?? 0, error.kind === 'limit' ? LIMIT_REST_MS : 15 * MINUTE_MS);
      return { result: { result: 'failed', outcome: null, error: text, retryAt: now + restMs }, restMs };
    }
    case 'unavailable_before_send':
      return {
        result: {
          result: 'failed',
          outcome: null,
          error: text,
          retryAt: now + Math.max(error.retryAfterMs ?? 0, 5 * MINUTE_MS),
        },
        restMs: null,
      };
    default:
      return { result: { result: 'failed', outcome: type.refusedOutcome(error.kind), error: text }, restMs: null };
  }
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
