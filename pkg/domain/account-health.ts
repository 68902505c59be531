/**
 * Health of a network account: its worst factor, not the mean. Each factor is 0 to 100; what rests on too few cases
 * counts as healthy. The limits in force are multiplied by it (see budget.ts).
 * Source: catalog record HealthFactor and `defaults.rampUp`.
 */

/** Counts over all workspaces that share the account; requests of 60 days judged after a week, messages after three days. */
export interface AccountFacts {
  requests: number;
  accepted: number;
  pending: number;
  messaged: number;
  replied: number;
  /** Units that reached a person on the busiest and on the usual active day of the last seven. */
  busiestDay: number;
  usualDay: number;
  /** Days of the last 30 on which the session broke, the network signalled a limit, or it restricted the account. */
  sessionsLost: number;
  limitSignals: number;
  restrictions: number;
  /** Connections that we know of. */
  connections: number;
}

export type HealthFactorName =
  | 'acceptance'
  | 'pending_requests'
  | 'reply_rate'
  | 'activity_regularity'
  | 'sessions'
  | 'network_size'
  | 'warnings';

export interface HealthFactor {
  name: HealthFactorName;
  /** 0 to 100. */
  score: number;
  /** The measured share or number; null when too few cases are known. */
  value: number | null;
  /** What to do; null while there is nothing to do. */
  advice: string | null;
}

/** Cases below which a share says nothing. */
const ENOUGH_CASES = 20;
/** A young network: the ramp-up holds such an account back, health does not lower it twice. */
const SMALL_NETWORK = 50;

/** The factors of an account, in a fixed order. */
export function healthFactors(facts: AccountFacts): HealthFactor[] {
  const acceptance = share(facts.accepted, facts.requests);
  const replies = share(facts.replied, facts.messaged);
  const busy = facts.busiestDay >= ENOUGH_CASES && facts.usualDay > 0 ? facts.busiestDay / facts.usualDay : null;
  const warned = facts.limitSignals + facts.restrictions;
  return [
    factor(
      'acceptance',
      acceptance,
      acceptance === null ? 100 : between(acceptance, 0.05, 20, 0.2, 100),
      'Few requests are accepted: narrow the ICP, or write a note that names a reason.',
    ),
    factor(
      'pending_requests',
      facts.pending,
      between(facts.pending, 1_200, 20, 400, 100),
      'Many requests are unanswered: withdraw the old ones with a network:withdraw_request node.',
    ),
    factor(
      'reply_rate',
      replies,
      replies === null ? 100 : between(replies, 0.01, 50, 0.05, 100),
      'Few messages are answered: shorten the texts, or stop after the first one.',
    ),
    factor(
      'activity_regularity',
      busy,
      busy === null ? 100 : between(busy, 6, 60, 3, 100),
      'One day is far busier than the others: lower the daily limits so that the work spreads.',
    ),
    factor(
      'sessions',
      facts.sessionsLost,
      Math.max(40, 100 - 20 * facts.sessionsLost),
      'The session broke within the last 30 days: log in from one place, and reconnect the account.',
    ),
    {
      name: 'network_size',
      score: 100,
      value: facts.connections,
      advice: facts.connections < SMALL_NETWORK ? 'The network is small: keep ramp-up on while it grows.' : null,
    },
    factor(
      'warnings',
      warned,
      facts.restrictions > 0 ? 25 : Math.max(25, 100 - 25 * facts.limitSignals),
      'The network warned this account within the last 30 days: lower its limits.',
    ),
  ];
}

/** The worst factor, 0 to 100. */
export function healthScore(factors: readonly HealthFactor[]): number {
  return factors.reduce((worst, { score }) => Math.min(worst, score), 100);
}

function share(part: number, whole: number): number | null {
  return whole < ENOUGH_CASES ? null : part / whole;
}

/** A factor with its advice while it is below 100. */
function factor(name: HealthFactorName, value: number | null, score: number, advice: string): HealthFactor {
  return {
    name,
    score,
    value: value === null ? null : Math.round(value * 1000) / 1000,
    advice: score < 100 ? advice : null,
  };
}

/** Linear from the bad end to the good one, and no further. */
function between(value: number, bad: number, atBad: number, good: number, atGood: number): number {
  const part = Math.max(0, Math.min(1, (value - bad) / (good - bad)));
  return Math.round(atBad + (atGood - atBad) * part);
}
