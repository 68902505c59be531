import { dateOfDay } from '../local-time.ts';
import type { SignalType } from '../signal-score.ts';

const DAY_MS = 86_400_000;

/** What happened, as far as it tells one signal from another. Times epoch ms UTC. */
export type SignalSubject =
  | { type: 'job_change'; personId: string; companyKey: string; startedAt: number }
  | { type: 'new_post'; postId: string; personId: string }
  | { type: 'funding_round'; companyKey: string; round: string; at: number }
  | { type: 'headcount_growth'; companyKey: string; at: number };

/**
 * The key under which a signal is known: what happens once is one signal, however many sources tell of it and however often. job_change:
 * person, new company and month; new_post: the post; funding: company, round and month; headcount: company and quarter. A person who
 * shared a post is a subject of their own.
 */
export function naturalKey(subject: SignalSubject): string {
  const key = (...parts: string[]): string => [subject.type satisfies SignalType, ...parts.map(plain)].join('|');
  switch (subject.type) {
    case 'job_change':
      return key(subject.personId, subject.companyKey, monthOf(subject.startedAt));
    case 'new_post':
      return key(subject.postId, subject.personId);
    case 'funding_round':
      return key(subject.companyKey, subject.round, monthOf(subject.at));
    case 'headcount_growth':
      return key(subject.companyKey, quarterOf(subject.at));
  }
}

function plain(part: string): string {
  return part.trim().toLowerCase().replaceAll('|', '/');
}

function monthOf(at: number): string {
  return dateOfDay(Math.floor(at / DAY_MS)).slice(0, 7);
}

function quarterOf(at: number): string {
  const [year = '', month = '1'] = monthOf(at).split('-');
  return `${year}q${Math.ceil(Number(month) / 3)}`;
}
