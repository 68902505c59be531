import type { Draft } from './node-type.ts';

/** Subject and text as one draft; what is missing in either is missing. A subject is one line, cut at `maxSubject` characters. */
export function subjectDraft(subject: Draft, text: Draft, maxSubject: number): Draft {
  const missing = [subject, text].flatMap((part) => ('missing' in part ? part.missing : []));
  if ('missing' in subject || 'missing' in text) return { missing: [...new Set(missing)] };
  const line = subject.text.replace(/\s+/g, ' ').trim();
  return { text: text.text, subject: [...line].slice(0, maxSubject).join('') };
}
