import { expect } from 'chai';
import { canonicalJson } from '../../../../pkg/base/json.ts';
import { seededRandom } from '../../../../pkg/domain/random.ts';
import { DEFAULT_SIGNAL_WEIGHTS, SIGNAL_CAP } from '../../../../pkg/domain/signal-score.ts';
import { type AgentRules, NO_CRITERIA, SIGNAL_OUTCOMES } from '../../../../pkg/domain/signals/agent-rules.ts';
import { decideSignal, type SignalFacts } from '../../../../pkg/domain/signals/decide-signal.ts';

const NOW = Date.UTC(2026, 2, 2, 10);
const DAY = 86_400_000;
const RULES: AgentRules = {
  signalTypes: ['job_change'],
  criteria: { ...NO_CRITERIA, titles: ['CTO'] },
  minScore: 10,
  signals: { weights: DEFAULT_SIGNAL_WEIGHTS, cap: SIGNAL_CAP },
};
const LEAD = {
  title: 'CTO',
  headline: '',
  seniority: '',
  company: 'Acorn',
  companySize: '',
  industry: '',
  location: 'Berlin Germany',
};
const FACTS: SignalFacts = {
  now: NOW,
  type: 'job_change',
  expiresAt: NOW + DAY,
  said: 'New role',
  selfCaused: false,
  lead: LEAD,
  excluded: null,
  duplicate: null,
  restsUntil: null,
  icpScore: 0,
  signals: [['job_change', NOW]],
  leadsLeft: 1,
  cost: 1,
  creditsLeft: 1,
  refused: null,
};

/** What makes each outcome, in the order of the checks. */
const REASONS: readonly [outcome: string, facts: Partial<SignalFacts>][] = [
  ['no_lead', { lead: null }],
  ['self_caused', { selfCaused: true }],
  ['not_matched', { lead: { ...LEAD, title: 'CFO' } }],
  ['expired', { expiresAt: NOW }],
  ['excluded', { excluded: 'customer' }],
  ['duplicate', { duplicate: 'the agent found the person before' }],
  ['contacted', { restsUntil: NOW + DAY }],
  ['below_score', { signals: [] }],
  ['lead_limit', { leadsLeft: 0 }],
  ['credit_limit', { creditsLeft: 0 }],
];

describe('decisions about signals', () => {
  it('A3 order of checks fixed: expired, excluded, duplicate, already contacted, below score, lead limit, credit limit, enqueued', () => {
    expect(REASONS.map(([outcome]) => outcome)).to.deep.equal(SIGNAL_OUTCOMES.slice(0, -1));
    expect(decideSignal(FACTS, RULES).outcome).to.equal('enqueued');
    // With all reasons from here on the first one is told.
    REASONS.forEach(([outcome], at) => {
      const rest = REASONS.slice(at).map(([, one]) => one);
      const facts: SignalFacts = Object.assign({}, FACTS, ...rest.reverse());
      expect(decideSignal(facts, RULES).outcome).to.equal(outcome);
    });
  });

  it('what only the enrolment sees is told as the check that would have said it', () => {
    const of = (refused: string): string => decideSignal({ ...FACTS, refused }, RULES).outcome;
    expect(['suppressed', 'erased', 'already_enrolled', 'claimed'].map(of)).to.deep.equal([
      'excluded',
      'excluded',
      'duplicate',
      'contacted',
    ]);
  });

  it('signals decay: the same person passes minScore today and not when the signal has faded', () => {
    const at = (days: number): string =>
      decideSignal({ ...FACTS, now: NOW + days * DAY, expiresAt: NOW + 90 * DAY }, RULES).outcome;
    expect(at(0)).to.equal('enqueued');
    expect(at(30)).to.equal('below_score');
  });

  it('a free person is no matter of the credit limit', () => {
    expect(decideSignal({ ...FACTS, cost: 0, creditsLeft: 0 }, RULES).outcome).to.equal('enqueued');
  });

  it('A replay of 10,000 decisions from what is stored is equal byte for byte', () => {
    const random = seededRandom('replay');
    const any = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const seen = new Set<string>();
    for (let case_ = 0; case_ < 10_000; case_++) {
      const facts: SignalFacts = {
        ...FACTS,
        lead: { ...LEAD, title: any(['CTO', 'CFO', 'Chief Technology Officer', '']) },
      };
      for (const [, part] of REASONS) if (random() < 0.07) Object.assign(facts, part);
      facts.icpScore = Math.floor(random() * 100);
      facts.signals = Array.from({ length: Math.floor(random() * 4) }, () => [
        any(['job_change', 'new_post', 'funding_round', 'odd']),
        NOW - Math.floor(random() * 90 * DAY),
      ]);
      facts.refused = any([null, null, null, 'claimed', 'suppressed']);
      const rules = { ...RULES, minScore: any([null, 0, 20, 60]) };
      const made = decideSignal(facts, rules);
      const stored = JSON.parse(canonicalJson({ facts, rules })) as { facts: SignalFacts; rules: AgentRules };
      expect(JSON.stringify(decideSignal(stored.facts, stored.rules))).to.equal(JSON.stringify(made));
      seen.add(made.outcome);
    }
    expect([...seen].sort()).to.deep.equal([...SIGNAL_OUTCOMES].sort());
  });
});
