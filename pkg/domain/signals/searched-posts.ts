import { hasPhrase } from '../icp-score.ts';
import type { PeopleCriteria } from '../people-criteria.ts';
import type { SignalType } from '../signal-score.ts';

/** What of an agent says whether it searches the network. */
export interface SearchingAgent {
  signalTypes: readonly SignalType[];
  criteria: PeopleCriteria;
  dailyCreditLimit: number | null;
}

/** Whom a search finds costs credits: a limit of 0 is a no. */
const costStop = (dailyCreditLimit: number | null): string | null =>
  dailyCreditLimit === 0 ? 'dailyCreditLimit is 0, and whom a search finds costs credits' : null;

/** Why an agent searches the network for nobody; null: it does. */
export function searchStops({ signalTypes, criteria, dailyCreditLimit }: SearchingAgent): string | null {
  if (!signalTypes.includes('new_post')) return 'no type of the agent is found by searching posts';
  if (criteria.keywords.length === 0) return 'the criteria have no keywords to search posts for';
  return costStop(dailyCreditLimit);
}

/** Whether a text says what the agent looks for: one of its keywords, as words; without keywords all do. */
export function saysWanted(text: string, { criteria }: Pick<SearchingAgent, 'criteria'>): boolean {
  return criteria.keywords.length === 0 || criteria.keywords.some((word) => hasPhrase(text, word));
}

/** Why an agent searches the network for no people to watch; null: it does. */
export function peopleStop({ signalTypes, criteria, dailyCreditLimit }: SearchingAgent): string | null {
  if (!signalTypes.includes('job_change')) return 'no type of the agent is found by watching people';
  if (criteria.titles.length === 0) return 'the criteria have no titles to search people for';
  return costStop(dailyCreditLimit);
}
