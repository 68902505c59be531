import { companyKey } from '../person-identity.ts';
import { DEFAULT_SIGNAL_WEIGHTS, type SignalType } from '../signal-score.ts';
import { companyStatements } from './company-statement.ts';
import { naturalKey } from './natural-key.ts';

const DAY_MS = 86_400_000;

/** A text of a source. Times epoch ms, product time. */
export interface SourceText {
  text: string;
  /** Where it stands; '': at the address of the source. */
  url: string;
  /** When it was published, as far as it is believed. */
  at: number;
}

/** What a text states of companies that it names. */
export interface NamedNews {
  type: 'funding_round' | 'headcount_growth';
  /** Forms of the names that it may mean, the likeliest first; none: its author. */
  keys: readonly string[];
  round: string;
  /** Words of the text. */
  evidence: string;
  url: string;
  at: number;
  expiresAt: number;
}

/** A company that news may be about. */
export interface NewsCompany {
  companyId: string;
  companyKey: string;
  own: boolean;
}

/**
 * What texts state of companies, of the types that are wanted, as long as it counts.
 * @param now epoch ms, product time
 */
export function namedNews(
  texts: readonly SourceText[],
  { types, now }: { types: readonly SignalType[]; now: number },
): NamedNews[] {
  return texts.flatMap(({ text, url, at }) =>
    companyStatements(text, new Date(at).getUTCFullYear())
      .filter(({ type }) => types.includes(type))
      .map(({ companies, ...said }): NamedNews => {
        const expiresAt = at + DEFAULT_SIGNAL_WEIGHTS[said.type].windowDays * DAY_MS;
        return { ...said, keys: companies.map(companyKey), url, at, expiresAt };
      })
      .filter(({ expiresAt }) => expiresAt > now),
  );
}

/**
 * The company that news is about: the one of the first name that somebody bears. A name that two companies bear tells of neither, unless one
 * of them alone is the workspace's own record.
 * @param author whose source it is; null: nobody said, and what it says of itself is about nobody
 */
export function companyOfNews<T extends NewsCompany>(
  { keys }: Pick<NamedNews, 'keys'>,
  known: readonly T[],
  author: T | undefined,
): T | undefined {
  if (keys.length === 0) return author;
  for (const key of keys) {
    const called = known.filter((one) => one.companyKey === key);
    const own = called.filter((one) => one.own);
    if (called.length === 0) continue;
    if (own.length === 1) return own[0];
    return called.length === 1 ? called[0] : undefined;
  }
  return undefined;
}

/** The key of news: company, round and month; company and quarter. */
export function newsKey({ type, round, at }: Pick<NamedNews, 'type' | 'round' | 'at'>, companyId: string): string {
  return type === 'funding_round'
    ? naturalKey({ type, companyKey: companyId, round, at })
    : naturalKey({ type, companyKey: companyId, at });
}
