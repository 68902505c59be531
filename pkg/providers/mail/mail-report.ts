import { usableText } from '../../base/usable-text.ts';
import { type BounceVerdict, bounceVerdict, reportKind } from '../../domain/bounce-fault.ts';
import type { MailReport } from './mail-provider.ts';

/** The value of a field of a report, unfolded; empty when it is not there. */
function field(raw: string, name: string): string {
  const found = new RegExp(`^${name}:[ \\t]*((?:.*)(?:\\r?\\n[ \\t]+.*)*)`, 'im').exec(raw);
  return (found?.[1] ?? '').replace(/\s+/g, ' ').trim();
}

/** Word by word: the one who writes the report chooses how long a word without an @ is. */
function addressIn(text: string): string | null {
  const words = text.split(/[\s<>;,"]+/);
  return words.find((word) => word.slice(1, -1).includes('@'))?.toLowerCase() ?? null;
}

/**
 * The part of a report that programs read, and what follows it: the words for people before it may look like it. Some
 * servers encode it.
 */
function statusIn(raw: string): string {
  const begins = /^content-type:[ \t]*message\/(?:global-)?delivery-status/im.exec(raw);
  if (!begins) return raw;
  const part = raw.slice(begins.index);
  const head = /^(?:[^\r\n]+\r?\n)+\r?\n/.exec(part)?.[0] ?? '';
  if (!/^content-transfer-encoding:[ \t]*base64/im.test(head)) return part;
  const encoded = /^[A-Za-z0-9+/=\r\n]*/.exec(part.slice(head.length))?.[0] ?? '';
  return Buffer.from(encoded, 'base64').toString('latin1');
}

/** How mail servers sign what they write. */
const DAEMON = /mailer-?daemon|postmaster|mail delivery (?:sub)?system/i;
const FOR_GOOD = /\b5\.\d{1,3}\.\d{1,3}\b|\b55[0-4][ -]/;
const FOR_NOW = /\b4\.\d{1,3}\.\d{1,3}\b|\b4[25]\d[ -]|\bdelayed\b|\bwill (?:be )?(?:retr|try|keep)/i;

/** Servers that know no reports (qmail, old Exim) write to people: why a mail of ours, which they carry or name the reader of, came back. */
function plainBounce(raw: string): MailReport | null {
  if (!DAEMON.test(field(raw, 'from'))) return null;
  const failed = addressIn(field(raw, 'x-failed-recipients'));
  if (failed === null && !/<outrider\.[^<>\s]+>/i.test(raw)) return null;
  const [, words = ''] =
    /\r?\n\r?\n([\s\S]*?)(?:^(?:return-path|received|message-id|from):|$(?![\s\S]))/im.exec(raw) ?? [];
  const [forGood, forNow] = [FOR_GOOD.exec(words), FOR_NOW.exec(words)];
  const decides = forGood ?? forNow;
  if (!decides) return null;
  const line = words.slice(0, decides.index).lastIndexOf('\n') + 1;
  const reason = usableText((/^[^\r\n]*/.exec(words.slice(line))?.[0] ?? '').trim(), 500);
  const code = Number(/(?<!\d)[45]\d\d(?!\d)/.exec(reason)?.[0] ?? 0);
  const verdict = bounceVerdict({ status: '', code, words: reason });
  return told(
    verdict,
    forGood !== null && forNow === null,
    failed ?? addressIn(/^<[^<>\s]+>:\s*$/m.exec(words)?.[0] ?? ''),
    reason,
  );
}

/**
 * What a raw mail reports about another: not delivered (RFC 3464; whose fault it is stands in pkg/domain/bounce-fault.ts) or
 * complained about (RFC 5965). Null when it is no report, or one of success.
 */
export function mailReport(raw: string): MailReport | null {
  const type = field(raw, 'content-type').toLowerCase();
  if (!type.startsWith('multipart/report')) return plainBounce(raw);
  if (type.includes('feedback-report')) {
    if (!/^(abuse|fraud|virus|not-spam)?$/.test(field(raw, 'feedback-type').toLowerCase())) return null;
    if (field(raw, 'feedback-type').toLowerCase() === 'not-spam') return null;
    const recipient = addressIn(field(raw, 'original-rcpt-to') || field(raw, 'removal-recipient'));
    return { kind: 'complaint', recipient, reason: field(raw, 'feedback-type') || 'abuse' };
  }
  const said = statusIn(raw);
  const action = field(said, 'action').toLowerCase();
  if (action !== 'failed' && action !== 'delayed') return null;
  const status = field(said, 'status');
  const words = field(said, 'diagnostic-code');
  const reason = usableText(`${status} ${words}`.trim(), 500);
  const code = Number(/(?<![\d.])[45]\d\d(?![\d.])/.exec(words)?.[0] ?? 0);
  const verdict = bounceVerdict({ status, code, words });
  const recipient = addressIn(field(said, 'final-recipient') || field(said, 'original-recipient'));
  return told(verdict, action === 'failed' && !status.startsWith('4.'), recipient, reason);
}

function told(verdict: BounceVerdict, final: boolean, recipient: string | null, reason: string): MailReport {
  const { sender } = verdict;
  return { kind: reportKind(verdict, final), recipient, reason, ...(sender ? { sender } : {}) };
}
