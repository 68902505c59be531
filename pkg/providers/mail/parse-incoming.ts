import PostalMime from 'postal-mime';
import { usableText } from '../../base/usable-text.ts';
import { bareMail } from '../../domain/mail-identity.ts';
import type { IncomingMail, SentMail } from './mail-provider.ts';
import { mailReport } from './mail-report.ts';

/** Characters of a mail's text that are kept. */
const MAX_TEXT = 20_000;

/** Where servers that give mails another Message-ID (Outlook, Gmail at times) keep the one that they came with. */
export const ORIGINAL_IDS: readonly string[] = ['x-microsoft-original-message-id', 'x-google-original-message-id'];

/** A sent mail by its headers; undefined without a Message-ID. */
export async function parseSent(headers: Buffer): Promise<SentMail | undefined> {
  const mail = await PostalMime.parse(new Uint8Array(headers), { maxHeadersSize: 64 * 1024 }).catch(() => null);
  if (!mail?.messageId) return undefined;
  const original = mail.headers.find((one) => ORIGINAL_IDS.includes(one.key))?.value.trim();
  return {
    messageId: usableText(original || mail.messageId),
    to: usableText((mail.to?.[0]?.address ?? '').toLowerCase()),
    subject: usableText(mail.subject ?? ''),
    at: Date.parse(mail.date ?? '') || null,
  };
}

/** A mail as we use it; what can't be read is empty, a mail is never refused. */
export async function parseIncoming(uid: number, source: Buffer, receivedAt: number): Promise<IncomingMail> {
  const mail = await PostalMime.parse(new Uint8Array(source), { maxHeadersSize: 256 * 1024 }).catch(() => null);
  const header = (name: string): string =>
    mail?.headers
      .find((one) => one.key === name)
      ?.value.toLowerCase()
      .trim() ?? '';
  const raw = usableText(source.toString('latin1'));
  const sentAt = Date.parse(mail?.date ?? '') || receivedAt;
  const mentions = `${mail?.inReplyTo ?? ''} ${mail?.references ?? ''}`.match(/<[^<>\s]+>/g) ?? [];
  const report = mailReport(raw);
  return {
    uid,
    messageId: usableText(mail?.messageId ?? '') || `uid-${uid}`,
    from: usableText(bareMail(mail?.from?.address ?? '').toLowerCase()),
    fromName: usableText(mail?.from?.name ?? ''),
    subject: usableText(mail?.subject ?? '', 500),
    // Some programs send an empty plain text beside what was written.
    text: usableText(mail?.text?.trim() ? mail.text : textOf(mail?.html ?? ''), MAX_TEXT),
    // A clock that runs ahead must not make a reply newer than its arrival.
    sentAt: receivedAt > 0 ? Math.min(sentAt, receivedAt) : sentAt,
    receivedAt: receivedAt > 0 ? receivedAt : sentAt,
    // A report carries the mail that it is about.
    mentions: report ? [...mentions, ...(raw.match(/<outrider\.[^<>\s]+>/gi) ?? [])] : mentions,
    automatic:
      (header('auto-submitted') !== '' && header('auto-submitted') !== 'no') ||
      header('x-autoreply') !== '' ||
      header('x-autorespond') !== '' ||
      header('precedence') === 'auto_reply',
    report,
  };
}

/** Enough of an HTML text to classify it. */
function textOf(html: string): string {
  const spoken = withoutTags(withoutScripts(html).replace(/<br\s*\/?>|<\/(p|div|li|tr)>/gi, '\n'));
  return spoken
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => characterOf(name) ?? whole)
    .replace(/[ \t]+/g, ' ')
    .trim();
}

// Whoever may write to a mailbox chooses this text, and what reads it reads the mails of all tenants: a pattern that looks for an
// end that never comes, from each of half a million beginnings, takes minutes. Each of these looks for an end once.

/** Without scripts and styles; what none ends stays. */
function withoutScripts(html: string): string {
  const begins = /<(style|script)/gi;
  const endless = new Set<string>();
  let text = '';
  let from = 0;
  for (let found = begins.exec(html); found; found = begins.exec(html)) {
    const name = (found[1] ?? '').toLowerCase();
    if (endless.has(name)) continue;
    const ends = new RegExp(`</${name}>`, 'gi');
    ends.lastIndex = begins.lastIndex;
    if (!ends.test(html)) {
      endless.add(name);
      continue;
    }
    text += `${html.slice(from, found.index)} `;
    from = ends.lastIndex;
    begins.lastIndex = from;
  }
  return text + html.slice(from);
}

/** Without tags; what none ends stays. */
function withoutTags(html: string): string {
  const end = html.lastIndexOf('>') + 1;
  return html.slice(0, end).replace(/<[^>]*>/g, ' ') + html.slice(end);
}

const MARKS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedil: '\u0327',
};
const NAMED: Readonly<Record<string, string>> = {
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  rsquo: '\u2019',
  lsquo: '\u2018',
  ldquo: '\u201c',
  rdquo: '\u201d',
  ndash: '\u2013',
  mdash: '\u2014',
  hellip: '\u2026',
  euro: '\u20ac',
  szlig: '\u00df',
  oslash: '\u00f8',
  aelig: '\u00e6',
  oelig: '\u0153',
};

/** The character of an entity; letters with a mark are made of both. */
function characterOf(name: string): string | undefined {
  const number = name.startsWith('#') ? Number(name.slice(1).replace(/^x/i, '0x')) : Number.NaN;
  if (number > 0 && number <= 0x10ffff) return String.fromCodePoint(number);
  const [, letter = '', mark = ''] = /^([a-zA-Z])(grave|acute|circ|tilde|uml|ring|caron|cedil)$/.exec(name) ?? [];
  return letter === '' ? NAMED[name] : `${letter}${MARKS[mark]}`.normalize('NFC');
}
