import { companyForms, sameCompanyName } from '../company-name.ts';
import { foldings } from '../fold-text.ts';
import { nameForms, sameName } from '../person-name.ts';
import { sameRegistrable } from '../registrable-domain.ts';

/** Whom or what a provider says that its answer is about; absent: it does not say. */
export interface AnsweredSubject {
  fullName?: string | undefined;
  company?: string | undefined;
  /** Of the company. */
  domain?: string | undefined;
}

/** Share of common words from which on two names are one. */
const ENOUGH = 0.8;

/**
 * Whether an answer is about who was asked for: the name agrees, and of the company the domain or the name. What either side does not
 * tell proves nothing against it.
 */
export function sameSubject(asked: AnsweredSubject, answered: AnsweredSubject): boolean {
  return namesAgree(asked.fullName, answered.fullName) && companiesAgree(asked, answered);
}

function namesAgree(a = '', b = ''): boolean {
  if (a === '' || b === '') return true;
  return sameName(nameForms(a), nameForms(b)) || tokenSimilarity(a, b) >= ENOUGH;
}

function companiesAgree(a: AnsweredSubject, b: AnsweredSubject): boolean {
  const domains = a.domain && b.domain ? sameRegistrable(a.domain, b.domain) : undefined;
  if (domains) return true;
  const [mine, theirs] = [a.company ?? '', b.company ?? ''];
  if (mine === '' || theirs === '') return domains ?? true;
  return sameCompanyName(companyForms(mine), companyForms(theirs)) || tokenSimilarity(mine, theirs) >= ENOUGH;
}

/** Dice coefficient of the words of two texts, 0 to 1; case and accents count for nothing. */
export function tokenSimilarity(a: string, b: string): number {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  if (one.size + other.size === 0) return 1;
  const common = [...one].filter((word) => other.has(word)).length;
  return (2 * common) / (one.size + other.size);
}

function wordsOf(text: string): Set<string> {
  return new Set((foldings(text)[0] ?? '').match(/[\p{L}\p{N}]+/gu) ?? []);
}
