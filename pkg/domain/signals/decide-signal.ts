import { explainSignals } from '../signal-score.ts';
import type { AgentRules, SignalOutcome } from './agent-rules.ts';
import type { Verdict } from './judge-text.ts';
import { type Match, type MatchedLead, matchCriteria } from './match-criteria.ts';

/** All that a decision rests on besides the agent's rules; kept with it. Times epoch ms UTC, product time. */
export interface SignalFacts {
  now: number;
  type: string;
  expiresAt: number;
  /** Title and evidence of the signal. */
  said: string;
  /** Our own accounts caused it. */
  selfCaused: boolean;
  /** What somebody said of it who was asked; null: nobody was. Absent: it was decided before agents asked. */
  judged?: Verdict | null;
  /** Null: nobody is known whom it is about. */
  lead: MatchedLead | null;
  /** Source of an exclusion that meets the person; null: none does. */
  excluded: string | null;
  /** Why the person was found before; null: was not. */
  duplicate: string | null;
  /** Until when the person was contacted too recently; null: was not. */
  restsUntil: number | null;
  /** Best score under the ICPs of the campaign, 0 to 100. */
  icpScore: number;
  /** All signals of the person that count: type and when it happened. */
  signals: readonly (readonly [string, number])[];
  /** Leads that the agent may still enqueue. */
  leadsLeft: number;
  /** Credits that this one costs, and what is left of the day's limit; null: there is none. */
  cost: number;
  creditsLeft: number | null;
  /** What the enrolment answered: all that only it can see; null: it took the person, or was not asked. */
  refused: string | null;
}

/** What became of a signal. */
export interface SignalDecision {
  outcome: SignalOutcome;
  /** Of the person at the time: 0 to 200. */
  score: number;
  /** For people. */
  reason: string;
}

/** What an enrolment says, as the check that would have said it. */
const REFUSALS: Readonly<Record<string, readonly [SignalOutcome, string]>> = {
  suppressed: ['excluded', 'an exclusion, or an earlier answer of the person or of a colleague, forbids contact'],
  erased: ['excluded', 'the person was erased'],
  already_enrolled: ['duplicate', 'the person is in the workflow already'],
  claimed: ['contacted', 'the person is in contact already, or was a short while ago'],
};

/**
 * Decides about one signal and one person: the same facts and rules give the same answer, byte for byte. Source of the order: expired,
 * excluded, duplicate, already contacted, below score, daily lead limit, credit limit, enqueued; exactly one of them.
 */
export function decideSignal(facts: SignalFacts, rules: AgentRules): SignalDecision {
  const { lead } = facts;
  if (lead === null) return { outcome: 'no_lead', score: 0, reason: 'nobody of the company is known' };
  const score = scoreOf(facts, rules);
  const found = (outcome: SignalOutcome, reason: string): SignalDecision => ({ outcome, score, reason });
  if (facts.selfCaused) return found('self_caused', 'it was caused by accounts of the workspace itself');
  const match = matchOf(lead, rules, facts.said);
  if (!match.matched) return found('not_matched', match.reason);
  if (facts.judged?.match === false) return found('not_matched', `judged: ${facts.judged.reason}`);
  const [outcome, reason] = check(facts, rules, score) ?? ['enqueued', whyMatched(match.reason, facts)];
  return found(outcome, reason);
}

/** What criteria said of a lead last: a batch asks some times, and the answer is the same. */
const matches = new WeakMap<MatchedLead, { criteria: AgentRules['criteria']; said: string; match: Match }>();

function matchOf(lead: MatchedLead, { criteria }: AgentRules, said: string): Match {
  const known = matches.get(lead);
  if (known?.criteria === criteria && known.said === said) return known.match;
  const match = matchCriteria(lead, criteria, said);
  matches.set(lead, { criteria, said, match });
  return match;
}

function whyMatched(reason: string, { judged }: SignalFacts): string {
  if (!judged) return reason;
  return `${reason}; judged: ${judged.reason}${judged.evidence === '' ? '' : ` ("${judged.evidence}")`}`;
}

/** The first check that the person does not pass. */
function check(facts: SignalFacts, rules: AgentRules, score: number): readonly [SignalOutcome, string] | undefined {
  if (facts.expiresAt <= facts.now) return ['expired', 'the signal is too old'];
  if (facts.excluded !== null) return ['excluded', `an exclusion meets the person: ${facts.excluded}`];
  if (facts.duplicate !== null) return ['duplicate', facts.duplicate];
  if (facts.restsUntil !== null)
    return [
      'contacted',
      `the person was contacted recently and rests until ${new Date(facts.restsUntil).toISOString()}`,
    ];
  if (rules.minScore !== null && score < rules.minScore)
    return ['below_score', `the score is ${score} and minScore ${rules.minScore}`];
  if (facts.leadsLeft <= 0) return ['lead_limit', 'the leads of the day, or of the run, are found'];
  if (facts.creditsLeft !== null && facts.cost > facts.creditsLeft)
    return ['credit_limit', 'the credits of the day are spent'];
  return facts.refused === null ? undefined : (REFUSALS[facts.refused] ?? ['excluded', facts.refused]);
}

function scoreOf({ icpScore, signals, now }: SignalFacts, rules: AgentRules): number {
  const scored = signals.map(([type, occurredAt]) => ({ type, occurredAt }));
  return Math.round(icpScore) + explainSignals(scored, now, rules.signals).score;
}
