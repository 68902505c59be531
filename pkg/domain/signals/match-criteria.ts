import { hasPhrase, icpScore, type ScoredLead } from '../icp-score.ts';
import type { PeopleCriteria } from '../people-criteria.ts';

/** What is known of a person when a signal is judged; empty texts are unknown. */
export interface MatchedLead extends ScoredLead {
  location: string;
}

/** Whether somebody is who the agent looks for, and by what. */
export interface Match {
  matched: boolean;
  /** The criterion that decided, with the value of the lead, for people. */
  reason: string;
}

const NAMES: Readonly<Record<string, string>> = {
  title: 'titles',
  seniority: 'seniorities',
  industry: 'industries',
  company_size: 'companySizes',
};

/**
 * Matches closed rules: every kind of criterion that is given has to match, of each kind one entry; the same comparisons as an ICP's
 * score. Keywords are looked for in what the signal says too, as words.
 * @param said title and evidence of the signal: text of others, which decides by the words it has and in no other way
 */
export function matchCriteria(lead: MatchedLead, criteria: PeopleCriteria, said: string): Match {
  const { reasons } = icpScore(lead, { ...criteria, keywords: [] });
  const missed = reasons.find((reason) => !reason.matched);
  if (missed)
    return {
      matched: false,
      reason: `${NAMES[missed.criterion] ?? missed.criterion} does not match: ${missed.evidence}`,
    };
  const met = reasons.map((reason) => `${NAMES[reason.criterion] ?? reason.criterion}: ${reason.evidence}`);
  const place = oneOf(lead.location, criteria.locations);
  if (criteria.locations.length > 0 && place === undefined)
    return { matched: false, reason: `locations does not match: ${lead.location || 'location unknown'}` };
  if (place !== undefined) met.push(`locations: ${place}`);
  const text = [said, lead.title, lead.headline, lead.company, lead.industry].join(' ');
  const word = oneOf(text, criteria.keywords);
  if (criteria.keywords.length > 0 && word === undefined) return { matched: false, reason: 'no keyword found' };
  if (word !== undefined) met.push(`keywords: ${word}`);
  return { matched: true, reason: met.join('; ') || 'no criteria are given' };
}

function oneOf(text: string, wanted: readonly string[]): string | undefined {
  return wanted.find((one) => hasPhrase(text, one));
}
