import { sizesMatch } from './company-size.ts';
import { normalSeniority, seniorityOf } from './seniority.ts';

/** Criteria of an ideal customer profile; an empty list asks for nothing. Catalog record Icp. */
export interface IcpCriteria {
  titles: readonly string[];
  industries: readonly string[];
  seniorities: readonly string[];
  companySizes: readonly string[];
  keywords: readonly string[];
}

/** What is known of a lead; empty texts are unknown. */
export interface ScoredLead {
  title: string;
  headline: string;
  seniority: string;
  company: string;
  companySize: string;
  industry: string;
}

/** Why a score is what it is. Catalog record LeadScore.reasons. */
export interface ScoreReason {
  criterion: 'title' | 'seniority' | 'industry' | 'company_size' | 'keyword';
  matched: boolean;
  points: number;
  /** The value of the lead that decided, or why there is none. */
  evidence: string;
}

export interface IcpScore {
  /** 0 to 100, whole. */
  score: number;
  reasons: readonly ScoreReason[];
}

/** Relative weight of a criterion that is asked for; the asked-for ones together make 100. */
const WEIGHTS: Record<ScoreReason['criterion'], number> = {
  title: 35,
  seniority: 20,
  industry: 20,
  company_size: 15,
  keyword: 10,
};

const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/\bvice president\b/g, 'vp'],
  [/\bchief executive officer\b/g, 'ceo'],
  [/\bchief technology officer\b/g, 'cto'],
  [/\bchief financial officer\b/g, 'cfo'],
  [/\bchief marketing officer\b/g, 'cmo'],
  [/\bchief operating officer\b/g, 'coo'],
  [/\bchief revenue officer\b/g, 'cro'],
  [/\bsr\b/g, 'senior'],
];

function fold(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+#]+/gu, ' ')
    .trim();
  return ALIASES.reduce((out, [long, short]) => out.replace(long, short), plain);
}

const FILLERS = new Set(['of', 'the', 'and', 'for', 'de', 'fur', 'der', 'und', 'et', 'du', 'a', 'an', 'in']);
const wordsOf = (text: string) =>
  fold(text)
    .split(' ')
    .filter((word) => word !== '' && !FILLERS.has(word));

/** All words of the wanted phrase occur in the text, as words. */
export function hasPhrase(text: string, wanted: string): boolean {
  const known = new Set(wordsOf(text));
  const asked = wordsOf(wanted);
  return asked.length > 0 && asked.every((word) => known.has(word));
}

/** Share (0 to 1) and evidence of one criterion. */
type Judgement = { share: number; evidence: string };
const miss = (known: string, what: string): Judgement => ({ share: 0, evidence: known || `${what} unknown` });

function titleShare(lead: ScoredLead, titles: readonly string[]): Judgement {
  const exact = titles.find((title) => hasPhrase(lead.title, title));
  if (exact) return { share: 1, evidence: lead.title };
  const half = lead.headline !== '' && titles.some((title) => hasPhrase(lead.headline, title));
  return half ? { share: 0.6, evidence: lead.headline } : miss(lead.title, 'title');
}

function seniorityShare(lead: ScoredLead, wanted: readonly string[]): Judgement {
  const known = normalSeniority(lead.seniority) || seniorityOf(lead.title);
  return wanted.some((one) => normalSeniority(one) === known)
    ? { share: 1, evidence: known }
    : miss(known, 'seniority');
}

function industryShare(lead: ScoredLead, wanted: readonly string[]): Judgement {
  const hit = wanted.some(
    (one) => hasPhrase(lead.industry, one) || (lead.industry !== '' && hasPhrase(one, lead.industry)),
  );
  return hit ? { share: 1, evidence: lead.industry } : miss(lead.industry, 'industry');
}

function sizeShare(lead: ScoredLead, wanted: readonly string[]): Judgement {
  const hit = wanted.some((one) => sizesMatch(lead.companySize, one));
  return hit ? { share: 1, evidence: lead.companySize } : miss(lead.companySize, 'company size');
}

/** The first keyword is worth half, three make it whole. */
function keywordShare(lead: ScoredLead, keywords: readonly string[]): Judgement {
  const text = [lead.title, lead.headline, lead.company, lead.industry].join(' ');
  const hits = keywords.filter((keyword) => hasPhrase(text, keyword));
  if (hits.length === 0) return { share: 0, evidence: 'no keyword found' };
  const enough = Math.min(keywords.length, 3);
  return {
    share: Math.min(1, enough === 1 ? 1 : 0.5 + (0.5 * (hits.length - 1)) / (enough - 1)),
    evidence: hits.join(', '),
  };
}

/**
 * ICP score of a lead, 0 to 100, by rule: the same lead and criteria give the same score, and the reasons' points add
 * up to it. Only criteria that are asked for count; an ICP that asks for nothing scores 0.
 */
export function icpScore(lead: ScoredLead, icp: IcpCriteria): IcpScore {
  const judged: (readonly [ScoreReason['criterion'], Judgement])[] = [];
  if (icp.titles.length > 0) judged.push(['title', titleShare(lead, icp.titles)]);
  if (icp.seniorities.length > 0) judged.push(['seniority', seniorityShare(lead, icp.seniorities)]);
  if (icp.industries.length > 0) judged.push(['industry', industryShare(lead, icp.industries)]);
  if (icp.companySizes.length > 0) judged.push(['company_size', sizeShare(lead, icp.companySizes)]);
  if (icp.keywords.length > 0) judged.push(['keyword', keywordShare(lead, icp.keywords)]);
  const total = judged.reduce((sum, [criterion]) => sum + WEIGHTS[criterion], 0);
  let exact = 0;
  let given = 0;
  const reasons = judged.map(([criterion, { share, evidence }]): ScoreReason => {
    exact += (share * WEIGHTS[criterion] * 100) / total;
    // Rounded so that the points add up to the rounded total.
    const points = Math.round(exact - 1e-9) - given;
    given += points;
    return { criterion, matched: share > 0, points, evidence };
  });
  return { score: given, reasons };
}
