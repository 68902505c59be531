import { z } from 'zod';
import { usableText } from '../../base/usable-text.ts';
import { HARMLESS, type NetworkAction, ProviderError, type ProviderErrorKind } from './network-provider.ts';
import type { UnipileAnswer } from './unipile-http.ts';

/** Unipile's error body: `{title, detail, type: "errors/…", status, instance}`. */
const errorSchema = z.object({ type: z.string(), title: z.string().optional(), detail: z.string().nullish() });

/** Documented error types that say more than their status. */
const BY_TYPE: Readonly<Record<string, ProviderErrorKind>> = {
  'errors/already_connected': 'already_connected',
  'errors/already_invited_recently': 'already_pending',
  'errors/no_connection_with_recipient': 'not_connected',
  'errors/not_allowed_inmail': 'not_connected',
  'errors/insufficient_credits': 'no_credits',
  'errors/limit_exceeded': 'limit',
  'errors/cannot_resend_yet': 'limit',
  'errors/too_many_requests': 'rate_limited',
  'errors/disconnected_account': 'unavailable_before_send',
  'errors/feature_not_subscribed': 'unsupported',
  'errors/not_implemented': 'unsupported',
};

/** A disconnected account or server is asked again after this much real time. */
const RETRY_MS = 15 * 60_000;

/** Whether it is an answer of the network, not of something before it. */
export function isOwnRefusal(answer: UnipileAnswer): boolean {
  return errorSchema.safeParse(answer.body).success;
}

/**
 * Throws what a status that is not 2xx means. A 4xx of the network's own proves that nothing was done; a 5xx after an effect
 * proves nothing, and neither does a refusal of something before it: that may have looked at the answer.
 * @throws ProviderError
 */
export function refuse(answer: UnipileAnswer, effect: boolean, kind?: NetworkAction['kind']): never {
  const parsed = errorSchema.safeParse(answer.body);
  const type = parsed.success ? parsed.data.type : '';
  const said = parsed.success ? ` ${type}: ${parsed.data.detail ?? parsed.data.title ?? ''}` : '';
  const text = usableText(`the network answered ${answer.status}${said}`, 400);
  const { status } = answer;
  if (status < 400 || status >= 500 || status === 408) {
    throw new ProviderError(effect ? 'unknown_outcome' : 'unavailable_before_send', text, answer.retryAfterMs);
  }
  if (!parsed.success && status !== 429) refuseForeign(answer, text, effect && !HARMLESS.includes(kind ?? ''));
  const named = BY_TYPE[type];
  if (named)
    throw new ProviderError(
      named,
      text,
      answer.retryAfterMs ?? (named === 'unavailable_before_send' ? RETRY_MS : undefined),
    );
  if (status === 429) throw new ProviderError('rate_limited', text, answer.retryAfterMs);
  if (status === 404 && kind === 'withdraw_request') throw new ProviderError('not_pending', text);
  // Our key is wrong or revoked: nothing was done, and nothing will be until somebody repairs it.
  if (status === 401) throw new ProviderError('unavailable_before_send', text, RETRY_MS);
  throw new ProviderError('rejected', text);
}

/** It is not the network's own word but one of a proxy before it, which may miss its server for a moment. */
function refuseForeign({ retryAfterMs }: UnipileAnswer, text: string, harmful: boolean): never {
  throw new ProviderError(harmful ? 'unknown_outcome' : 'unavailable_before_send', text, retryAfterMs ?? RETRY_MS);
}
