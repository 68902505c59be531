import { CallError } from '../../call-error.ts';
import type { GoogleAccess } from '../../google/google-request.ts';
import { type GmailMessage, type GmailPart, gmailMessage } from './gmail-api.ts';

/** What of a message that is too large to be had whole is asked for: attachments have an id in place of their bytes, and texts are here. */
const PART = 'mimeType,headers,body/data';
const TEXTS = `id,threadId,labelIds,internalDate,snippet,payload(${PART},parts(${PART},parts(${PART},parts(${PART}))))`;
/** Parts that are words, or say what a server or a calendar tells. */
const READ = /^(?:text\/(?:plain|html|calendar)|message\/delivery-status|message\/feedback-report)$/i;
/** The body of a message that is written anew has its own. */
const OF_BODY = /^content-/i;
const BOUNDARY = 'outrider-parts';

/** A message of Gmail with its source as it arrived, or, of a large one, its head and its words. */
export interface GmailSource {
  message: GmailMessage;
  source: Buffer;
}

/** @returns null: it is gone @throws CallError */
export async function gmailSource(
  access: GoogleAccess,
  messageId: string,
  signal: AbortSignal,
): Promise<GmailSource | null> {
  try {
    const message = await gmailMessage(access, messageId, { format: 'raw' }, signal);
    return message && { message, source: Buffer.from(message.raw ?? '', 'base64url') };
  } catch (error) {
    if (!isTooLarge(error)) throw error;
  }
  try {
    const message = await gmailMessage(access, messageId, { format: 'full', fields: TEXTS }, signal);
    return message && { message, source: rewritten(message) };
  } catch (error) {
    if (!isTooLarge(error)) throw error;
  }
  const message = await gmailMessage(access, messageId, { format: 'metadata' }, signal);
  return message && { message, source: headOnly(message) };
}

/** The answer has more bytes than are read of any. */
function isTooLarge(error: unknown): boolean {
  return error instanceof CallError && error.message.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE');
}

function rewritten(message: GmailMessage): Buffer {
  const parts = wordsIn(message.payload);
  if (parts.length === 0) return headOnly(message);
  const bodies = parts.map(({ headers, mimeType, body }) =>
    [
      `--${BOUNDARY}`,
      `Content-Type: ${headerOf(headers, 'content-type') || mimeType}`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(body?.data ?? '', 'base64url').toString('base64'),
    ].join('\r\n'),
  );
  const type = isReport(message.payload) ? headerOf(message.payload?.headers ?? [], 'content-type') : '';
  const whole = type === '' ? `multipart/mixed; boundary="${BOUNDARY}"` : withBoundary(type);
  return Buffer.from([`${headOf(message)}Content-Type: ${whole}`, '', ...bodies, `--${BOUNDARY}--`, ''].join('\r\n'));
}

/** A report says by its type what it is. */
function isReport(payload: GmailPart | undefined): boolean {
  return /^multipart\/report$/i.test(payload?.mimeType ?? '');
}

function withBoundary(type: string): string {
  return `${type.replace(/;\s*boundary=(?:"[^"]*"|[^;\s]*)/gi, '')}; boundary="${BOUNDARY}"`;
}

function wordsIn(part: GmailPart | undefined): GmailPart[] {
  if (!part) return [];
  const own = READ.test(part.mimeType) && part.body?.data ? [part] : [];
  return [...own, ...part.parts.flatMap(wordsIn)];
}

/** Its head, and the words that Gmail shows of it in lists. */
function headOnly(message: GmailMessage): Buffer {
  return Buffer.from(`${headOf(message)}Content-Type: text/plain; charset=utf-8\r\n\r\n${message.snippet}\r\n`);
}

function headOf({ payload }: GmailMessage): string {
  const kept = (payload?.headers ?? []).filter(({ name }) => !OF_BODY.test(name));
  return kept.map(({ name, value }) => `${name}: ${value.replace(/\r?\n(?![ \t])/g, ' ')}\r\n`).join('');
}

/** The value of a header; '': there is none. */
export function headerOf(headers: readonly { name: string; value: string }[], wanted: string): string {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value.trim() ?? '';
}
