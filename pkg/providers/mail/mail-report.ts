import { usableText } from '../../base/usable-text.ts';
import type { MailReport } from './mail-provider.ts';

/** The value of a field of a report, unfolded; empty when it is not there. */
function field(raw: string, name: string): string {
  const found = new RegExp(`^${name}:[ \\t]*((?:.*)(?:\\r?\\n[ \\t]+.*)*)`, 'im').exec(raw);
  return (found?.[1] ?? '').replace(/\s+/g, ' ').trim();
}

/** Word by word: whoever writes the report chooses how long a word without an @ is. */
function addressIn(text: string): string | null {
  const words = text.split(/[\s<>;,"]+/);
  return words.find((word) => word.slice(1, -1).includes('@'))?.toLowerCase() ?? null;
}

/**
 * What a raw mail reports about another: not delivered (RFC 3464; 5.x.x for good, 4.x.x or delayed for now) or
 * complained about (RFC 5965). Null when it is no report, or one of success.
 */
export function mailReport(raw: string): MailReport | null {
  const type = field(raw, 'content-type').toLowerCase();
  if (!type.startsWith('multipart/report')) return null;
  if (type.includes('feedback-report')) {
    if (!/^(abuse|fraud|virus|not-spam)?$/.test(field(raw, 'feedback-type').toLowerCase())) return null;
    if (field(raw, 'feedback-type').toLowerCase() === 'not-spam') return null;
    const recipient = addressIn(field(raw, 'original-rcpt-to') || field(raw, 'removal-recipient'));
    return { kind: 'complaint', recipient, reason: field(raw, 'feedback-type') || 'abuse' };
  }
  const action = field(raw, 'action').toLowerCase();
  if (action !== 'failed' && action !== 'delayed') return null;
  const status = field(raw, 'status');
  const hard = action === 'failed' && !status.startsWith('4.') && status !== '5.2.2';
  const reason = usableText(`${status} ${field(raw, 'diagnostic-code')}`.trim(), 500);
  const recipient = addressIn(field(raw, 'final-recipient') || field(raw, 'original-recipient'));
  return { kind: hard ? 'hard_bounce' : 'soft_bounce', recipient, reason };
}
