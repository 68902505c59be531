import { createHash } from 'node:crypto';
import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { usableText, usableValue } from '../../base/usable-text.ts';
import type { TraceHeader } from '../../domain/calendar/authentic-sender.ts';
import { mailAuthor } from '../../domain/machine-mail.ts';
import { bareMail } from '../../domain/mail-identity.ts';
import { type CalendarReply, readReply } from '../calendar/ical/read-reply.ts';
import type { IncomingMail, SentMail } from './mail-provider.ts';
import { mailReport } from './mail-report.ts';
import { sendIdsIn } from './message-id.ts';
import { signaturesIn } from './signatures-in.ts';
import { textOfHtml } from './text-of-html.ts';

/** Characters of a mail's text that are kept. */
const MAX_TEXT = 20_000;
/**
 * Bytes and lines of a mail that are parsed: the library pays for each line, and half a megabyte of empty ones cost a gigabyte. What a
 * person writes stands at the beginning.
 */
export const MAX_PARSED = 64 * 1024;
const MAX_LINES = 4_000;
/** Receipts and results of servers that are looked at: those at the top are the own server's. */
const MOST_TRACES = 20;
/** Bytes of a mail of which only the head is read. */
const MAX_HEAD = 16 * 1024;

/** Where servers that give mails another Message-ID (Outlook, Gmail at times) keep the one that they came with. */
export const ORIGINAL_IDS: readonly string[] = ['x-microsoft-original-message-id', 'x-google-original-message-id'];

/** A sent mail by its headers; undefined without a Message-ID. */
export async function parseSent(headers: Buffer): Promise<SentMail | undefined> {
  const mail = await PostalMime.parse(new Uint8Array(headers), { maxHeadersSize: 64 * 1024 }).catch(() => null);
  if (!mail?.messageId) return undefined;
  const original = mail.headers.find((one) => ORIGINAL_IDS.includes(one.key))?.value.trim();
  return {
    messageId: usableText(original || mail.messageId),
    ...(original ? { givenId: usableText(mail.messageId) } : {}),
    to: usableText((mail.to?.[0]?.address ?? '').toLowerCase()),
    subject: usableText(mail.subject ?? ''),
    at: Date.parse(mail.date ?? '') || null,
  };
}

/** The beginning of a mail that is parsed. */
export function parsedPart(source: Buffer): Buffer {
  const first = source.subarray(0, MAX_PARSED);
  let end = -1;
  for (let line = 0; line < MAX_LINES; line++) {
    end = first.indexOf(0x0a, end + 1);
    if (end < 0) return first;
  }
  return first.subarray(0, end + 1);
}

/** The head of a mail alone: who wrote, about what, in answer to what. */
export function headOf(source: Buffer): Buffer {
  const head = source.subarray(0, MAX_HEAD);
  const ends = [head.indexOf('\r\n\r\n'), head.indexOf('\n\n')].filter((at) => at >= 0);
  return head.subarray(0, Math.min(head.length, ...ends));
}

/** A mail as we use it; what can't be read is empty, a mail is never refused. Of its source no more than `parsedPart` is read. */
export async function parseIncoming(uid: number, whole: Buffer, receivedAt: number): Promise<IncomingMail> {
  const source = parsedPart(whole);
  // A mail that another one carries is no word of the one who sends it: it may be ours.
  const options = { maxHeadersSize: 256 * 1024, forceRfc822Attachments: true };
  const mail = await PostalMime.parse(new Uint8Array(source), options).catch(() => null);
  const header = (name: string): string =>
    mail?.headers
      .find((one) => one.key === name)
      ?.value.toLowerCase()
      .trim() ?? '';
  const raw = usableText(source.toString('latin1'));
  const sentAt = Date.parse(mail?.date ?? '') || receivedAt;
  const mentions = `${mail?.inReplyTo ?? ''} ${mail?.references ?? ''}`.match(/<[^<>\s]+>/g) ?? [];
  const report = mailReport(raw);
  // Some programs send an empty plain text beside what was written.
  const text = usableText(mail?.text?.trim() ? mail.text : textOfHtml(mail?.html ?? ''), MAX_TEXT);
  const from = usableText(bareMail(mail?.from?.address ?? '').toLowerCase());
  const author = (mail?.attachments ?? []).some(isAnswerByCalendar)
    ? 'person'
    : mailAuthor({
        header,
        headers: (mail?.headers ?? []).map(({ key }) => key),
        from,
        subject: usableText(mail?.subject ?? '', 500),
        text,
      });
  // A copy of a mail of ours, whatever id its server gave it.
  const ours = ORIGINAL_IDS.map(header).find((id) => sendIdsIn(id).length > 0);
  // All of it: what a single field keeps, no field of the future forgets.
  return usableValue<IncomingMail>({
    uid,
    // Not by its number: servers count anew.
    messageId:
      usableText(ours ?? mail?.messageId ?? '') || `sha256-${createHash('sha256').update(source).digest('hex')}`,
    from,
    fromName: usableText(mail?.from?.name ?? ''),
    subject: usableText(mail?.subject ?? '', 500),
    text,
    // A clock that runs ahead must not make a reply newer than its arrival.
    sentAt: receivedAt > 0 ? Math.min(sentAt, receivedAt) : sentAt,
    receivedAt: receivedAt > 0 ? receivedAt : sentAt,
    // A report carries the mail that it is about.
    mentions: report ? [...mentions, ...idsIn(raw)] : mentions,
    automatic: author !== 'person',
    author,
    report,
    signatures: signaturesIn(raw),
    ...replyIn(mail),
  });
}

/** What a mail says to an invitation, and what servers found out about its sender; nothing where it is no answer. */
function replyIn(mail: Email | null): Pick<IncomingMail, 'reply' | 'trace'> {
  const reply = replyOf(mail?.attachments ?? []);
  return reply ? { reply, trace: traceOf(mail) } : {};
}

/** What a calendar says to an invitation; null: it says nothing, or something else. */
function replyOf(attachments: readonly Attachment[]): CalendarReply | null {
  const part = attachments.find((one) => one.mimeType === 'text/calendar' && one.method === 'REPLY');
  if (!part) return null;
  const { content } = part;
  return readReply(typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8'));
}

function traceOf(mail: Email | null): TraceHeader[] {
  const all = (mail?.headers ?? []).flatMap(({ key, value }) =>
    key === 'authentication-results' || key === 'received'
      ? [{ name: key, value: value.slice(0, 4_000) } as const]
      : [],
  );
  return all.slice(0, MOST_TRACES);
}

/** An invitation, or what somebody says to one: calendars send them by themselves, and people make them. */
function isAnswerByCalendar({ mimeType, method }: Attachment): boolean {
  return mimeType === 'text/calendar' && ['REQUEST', 'REPLY', 'COUNTER', 'CANCEL'].includes(method ?? '');
}

/** Message-IDs that a report may be about: ours wherever they stand, and that of the mail which it carries. */
function idsIn(raw: string): string[] {
  const heads = [...raw.matchAll(/^message-id:[ \t]*(?:\r?\n[ \t]+)?(<[^<>\s]{1,500}>)/gim)].map(
    (found) => found[1] ?? '',
  );
  return [...(raw.match(/<outrider\.[^<>\s]+>/gi) ?? []), ...heads];
}
