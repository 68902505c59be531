import { z } from 'zod';
import { usableText } from '../../base/usable-text.ts';
import { isHarmless } from '../../domain/actions.ts';
import { type NetworkAction, ProviderError, type ProviderErrorKind } from './network-provider.ts';
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
  // About the account or how it is logged in, never about the person; sync learns how the account is.
  'errors/account_restricted': 'unavailable_before_send',
  'errors/account_mismatch': 'unavailable_before_send',
  'errors/insufficient_permissions': 'unavailable_before_send',
  'errors/session_mismatch': 'unavailable_before_send',
  'errors/unknown_authentication_context': 'unavailable_before_send',
  'errors/action_required': 'unavailable_before_send',
  'errors/unauthorized': 'unavailable_before_send',
  'errors/account_configuration_error': 'unavailable_before_send',
  'errors/realtime_client_not_initialized': 'unavailable_before_send',
  'errors/feature_not_subscribed': 'unsupported',
  'errors/subscription_required': 'unsupported',
  'errors/not_implemented': 'unsupported',
};

/** A disconnected account or server is asked again after this much real time. */
const RETRY_MS = 15 * 60_000;

/** How a 5xx says that the account did too much. Source: the provider's limits ("HTTP 429 or 500"). */
const OVER_LIMIT = /\b(?:limit|quota)\b.{0,40}\b(?:reached|exceeded)|\bexceed\w*\b.{0,40}\blimit|\btoo many\b/i;
/** As an account rests after any other signal of a limit. */
const OVER_LIMIT_REST_MS = 5 * 3_600_000;

/** A limit that is told by a 5xx: after an effect nobody knows whether that was done, and the account rests all the same. */
function overLimit(effect: boolean, text: string, retryAfterMs: number | undefined): ProviderError {
  const ms = Math.max(retryAfterMs ?? 0, OVER_LIMIT_REST_MS);
  const reason = 'the network said that the account did too much';
  return effect
    ? new ProviderError('unknown_outcome', text, undefined, { ms, reason })
    : new ProviderError('rate_limited', text, ms);
}

/** Whether the network says that it does not have what was asked for; an account that it lacks is another matter. */
export function isMissing(answer: UnipileAnswer): boolean {
  const parsed = errorSchema.safeParse(answer.body);
  return answer.status === 404 && parsed.success && !isAboutAccount(answer.status, parsed.data.detail);
}

/** Whether the network says that it does not have the account itself. */
export function lacksAccount(answer: UnipileAnswer): boolean {
  const parsed = errorSchema.safeParse(answer.body);
  return parsed.success && isAboutAccount(answer.status, parsed.data.detail);
}

/** An account that was removed at the provider answers as a person who does not exist does; only the words tell them apart. */
function isAboutAccount(status: number, detail: string | null | undefined): boolean {
  return status === 404 && /^account\b.*\bnot found/i.test(detail ?? '');
}

/**
 * Throws what a status that is not 2xx means. A 4xx of the network's own proves that nothing was done; a 5xx after an effect
 * proves nothing, and neither does a refusal of something before it: that may have looked at the answer.
 * @throws ProviderError
 */
export function refuse(answer: UnipileAnswer, effect: boolean, kind?: NetworkAction['kind'] | 'post'): never {
  const parsed = errorSchema.safeParse(answer.body);
  const type = parsed.success ? parsed.data.type : '';
  const said = parsed.success ? ` ${type}: ${parsed.data.detail ?? parsed.data.title ?? ''}` : '';
  const text = usableText(`the network answered ${answer.status}${said}`, 400);
  const { status } = answer;
  if (status >= 500 && OVER_LIMIT.test(text)) throw overLimit(effect, text, answer.retryAfterMs);
  if (status < 400 || status >= 500 || status === 408) {
    throw new ProviderError(effect ? 'unknown_outcome' : 'unavailable_before_send', text, answer.retryAfterMs);
  }
  if (!parsed.success && status !== 429) refuseForeign(answer, text, effect && !isHarmless(kind ?? ''));
  if (kind === 'post' && isDuplicate(answer.status, said)) refuseDuplicate(text, said);
  const means = meaningOf(status, type, parsed.data?.detail, kind);
  const waits = means === 'unavailable_before_send' ? RETRY_MS : undefined;
  throw new ProviderError(means, text, answer.retryAfterMs ?? waits);
}

/** What the network's own word for a 4xx means. */
function meaningOf(
  status: number,
  type: string,
  detail: string | null | undefined,
  kind: NetworkAction['kind'] | 'post' | undefined,
): ProviderErrorKind {
  const named = BY_TYPE[type];
  if (named) return named;
  if (status === 429) return 'rate_limited';
  // Our key is wrong or revoked, or the account is gone: nothing was done, and nothing will be until somebody repairs it.
  if (status === 401 || isAboutAccount(status, detail)) return 'unavailable_before_send';
  return status === 404 && kind === 'withdraw_request' ? 'not_pending' : 'rejected';
}

/** The network takes no second post with the same words, and names the first. Source: LinkedIn DUPLICATE_POST, status 422. */
function isDuplicate(status: number, said: string): boolean {
  return (status === 422 || status === 409) && /duplicate/i.test(said);
}

function refuseDuplicate(text: string, said: string): never {
  const error = new ProviderError('duplicate', text);
  const named = /urn:li:(?:activity|share|ugcPost):[\w-]{1,100}/.exec(said)?.[0];
  if (named) error.names = named;
  throw error;
}

/** It is not the network's own word but one of a proxy before it, which may miss its server for a moment. */
function refuseForeign({ retryAfterMs }: UnipileAnswer, text: string, harmful: boolean): never {
  throw new ProviderError(harmful ? 'unknown_outcome' : 'unavailable_before_send', text, retryAfterMs ?? RETRY_MS);
}

/** What a reading call answered. @throws ProviderError */
export function parsed<S extends z.ZodType>(schema: S, answer: UnipileAnswer, path: readonly string[]): z.infer<S> {
  if (answer.status < 200 || answer.status >= 300) refuse(answer, false);
  const read = schema.safeParse(answer.body);
  if (read.success) return read.data;
  const where = read.error.issues[0]?.path.join('.') ?? '';
  throw new ProviderError('unavailable_before_send', `unreadable answer to GET ${path[0]} at ${where}`);
}
