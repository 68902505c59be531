import { saidFunding } from './said-funding.ts';
import { saidGrowth } from './said-growth.ts';
import { sentencesOf } from './sentences.ts';

/** Something that a text says of a company. */
export interface CompanyStatement {
  type: 'funding_round' | 'headcount_growth';
  /** Names of the company that it may be about, the likeliest first; none: the text speaks of its own author. */
  companies: readonly string[];
  /** Of funding: `series a`, `seed`, `round`; else ''. */
  round: string;
  /** The sentence that says so, as it stands in the text. */
  evidence: string;
}

/** Statements that are taken from one text. */
const MOST = 20;
/**
 * What a text says of companies in closed rules: who raised money, whose team grew. A text is believed in nothing that it does not state: what
 * is planned, denied or of another year is left out, and a model has no say in it.
 * @param year in which the text was written: a sentence that names an earlier one tells history
 */
export function companyStatements(text: string, year: number): CompanyStatement[] {
  const found: CompanyStatement[] = [];
  for (const sentence of sentencesOf(text)) {
    if (found.length >= MOST) break;
    if (isHistory(sentence, year)) continue;
    const said = saidFunding(sentence) ?? saidGrowth(sentence);
    if (said) found.push({ ...said, evidence: sentence });
  }
  return found;
}

function isHistory(sentence: string, year: number): boolean {
  const named = [...sentence.matchAll(/\b(?:19|20)\d\d\b/g)].map(([one]) => Number(one));
  return named.length > 0 && named.every((one) => one < year);
}
