import { NEVER, SystemClock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { restReason, SENDER_REST_MS } from '../../../domain/bounce-fault.ts';
import { CallError } from '../../call-error.ts';
import { askGoogle, type GoogleAccess, isTooOften, retryAfter, saidByGoogle } from '../../google/google-request.ts';
import type { GuardedAnswer } from '../../guarded-request.ts';
import { type PerformOptions, type PerformResult, ProviderError } from '../../network/network-provider.ts';
import { jsonOf } from '../../outside-http.ts';
import { composeMail } from '../compose-mail.ts';
import type { MailboxAccess, OutgoingMail } from '../mail-provider.ts';
import { gmailIds, gmailMessage, ME, sentShape } from './gmail-api.ts';

const RETRY_MS = 15 * 60_000;
/** Message-IDs of a thread by which it is looked for, the newest first. */
const MOST_LOOKS = 3;
/** All answers, so that each is judged here. */
const ALL: readonly number[] = Array.from({ length: 600 }, (_, status) => status);
const MISSING = 404;

/**
 * Sends one mail. Gmail shows an answer in its thread only with the thread's own id, beside the headers and the subject (M2). It gives
 * some mails another Message-ID, so that the real one is read back (M1). @throws ProviderError
 */
export async function sendByGmail(
  access: GoogleAccess,
  mailbox: MailboxAccess,
  mail: OutgoingMail,
  { signal = NEVER, deadlineMonotonicMs }: PerformOptions,
): Promise<PerformResult> {
  const raw = (await composeMail(mailbox, mail)).toString('base64url');
  const threadId = await threadOf(access, mail.references, signal);
  const post = (body: object): Promise<GuardedAnswer> =>
    askGoogle(
      access,
      { method: 'POST', path: [...ME, 'messages', 'send'], body, deadlineMonotonicMs },
      signal,
      ALL.filter((status) => status !== 401),
    ).catch((error: unknown) => {
      throw lossOf(error);
    });
  let answer = await post({ raw, ...(threadId === undefined ? {} : { threadId }) });
  // Somebody deleted the thread meanwhile, and nothing was sent.
  if (answer.status === MISSING && threadId !== undefined) answer = await post({ raw });
  if (answer.status >= 300) throw refusalOf(answer);
  const given = await realId(access, answer, signal);
  return { ref: mail.messageId, ...(given === null || given === mail.messageId ? {} : { givenId: given }) };
}

/** The thread in which Gmail keeps what is answered; undefined: a new one, or it is not there any more. @throws ProviderError */
async function threadOf(
  access: GoogleAccess,
  references: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    for (const reference of references.toReversed().slice(0, MOST_LOOKS)) {
      for await (const found of gmailIds(access, { q: byMessageId(reference), includeSpamTrash: 'true' }, signal)) {
        const message = await gmailMessage(access, found, { format: 'minimal' }, signal);
        if (message && message.threadId !== '') return message.threadId;
      }
    }
    return undefined;
  } catch (error) {
    throw lookFailed(error);
  }
}

/** Gmail's search for a mail by its Message-ID. */
export function byMessageId(messageId: string): string {
  return `rfc822msgid:${messageId.replace(/[<>\s]/g, '')}`;
}

/** The Message-ID with which it left; null: Gmail does not tell it now, which says nothing of the mail. */
async function realId(access: GoogleAccess, answer: GuardedAnswer, signal: AbortSignal): Promise<string | null> {
  try {
    const { id } = sentShape.parse(jsonOf(answer, false));
    const query = { format: 'metadata', metadataHeaders: 'Message-ID' };
    const headers = (await gmailMessage(access, id, query, signal))?.payload?.headers ?? [];
    const value = headers.find(({ name }) => name.toLowerCase() === 'message-id')?.value.trim() ?? '';
    return /^<[^<>\s]+>$/.test(value) ? value : null;
  } catch {
    return null;
  }
}

/** Nothing was sent yet when a question failed. */
export function lookFailed(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const wait = error instanceof CallError ? error.retryAfterMs : undefined;
  return new ProviderError('unavailable_before_send', `Gmail: ${messageOf(error)}`, wait);
}

/** What no complete answer to a send proves. */
function lossOf(error: unknown): ProviderError {
  if (error instanceof CallError && error.kind !== 'lost') return lookFailed(error);
  return new ProviderError(
    'unknown_outcome',
    `Gmail: the mail was handed over and the answer was lost (${messageOf(error)})`,
  );
}

/** What a refusal of a send proves. */
function refusalOf(answer: GuardedAnswer): ProviderError {
  const { status } = answer;
  const { reason, message } = saidByGoogle(answer);
  const text = `Gmail answered ${status}${reason === '' ? '' : ` ${reason}`}: ${message.slice(0, 200)}`;
  // It may have done its work before it failed.
  if (status >= 500) return new ProviderError('unknown_outcome', text);
  if (isTooOften(answer)) {
    const wait = retryAfter(answer, new SystemClock().now());
    if (!isLimitOfDay(status, reason, message)) return new ProviderError('rate_limited', text, wait ?? RETRY_MS);
    const ms = Math.max(wait ?? 0, SENDER_REST_MS.limit);
    return new ProviderError('limit', text, ms, { ms, reason: restReason('limit', message) });
  }
  // It says no to whom the mail is for, or to how it is written; others of the mailbox go on.
  if (status === 400 && reason !== 'failedPrecondition') return new ProviderError('rejected', text);
  if (status === 413) return new ProviderError('rejected', text);
  return new ProviderError('unavailable_before_send', text, RETRY_MS);
}

/** Gmail counts what a mailbox sends in a day, and says so by 429 with hours to wait. */
function isLimitOfDay(status: number, reason: string, message: string): boolean {
  return reason === 'dailyLimitExceeded' || (status === 429 && /mail sending|user-rate limit exceeded/i.test(message));
}
