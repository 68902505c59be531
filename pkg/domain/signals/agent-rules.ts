import type { PeopleCriteria } from '../people-criteria.ts';
import type { SignalRules, SignalType } from '../signal-score.ts';

/** Everything by which an agent decides, besides the facts of a signal; kept with what it decided. */
export interface AgentRules {
  signalTypes: readonly SignalType[];
  /** All kinds that are given have to match, of each kind one of its words. Catalog `criteria`. */
  criteria: PeopleCriteria;
  /** Least score of who is enqueued; null: anybody who matches. */
  minScore: number | null;
  /** What must be true of a signal, in the owner's words; absent: nobody is asked, the criteria alone decide. */
  judge?: string;
  /** Points of signals, and how they fade. */
  signals: SignalRules;
}

export const NO_CRITERIA: PeopleCriteria = {
  titles: [],
  industries: [],
  seniorities: [],
  companySizes: [],
  keywords: [],
  locations: [],
};

/** What becomes of a signal and a person, in the order in which it is checked; each gets exactly one. */
export const SIGNAL_OUTCOMES = [
  'no_lead',
  'self_caused',
  'not_matched',
  'expired',
  'excluded',
  'duplicate',
  'contacted',
  'below_score',
  'lead_limit',
  'credit_limit',
  'enqueued',
] as const;
export type SignalOutcome = (typeof SIGNAL_OUTCOMES)[number];

/** Outcomes that a later run may change: the limit of the day is another one then. */
export const LIMIT_OUTCOMES: readonly SignalOutcome[] = ['lead_limit', 'credit_limit'];
/** Outcomes of what matched the agent's rules. */
export const MATCHED_OUTCOMES: readonly SignalOutcome[] = SIGNAL_OUTCOMES.slice(3);
