import { SCORE_MIN } from '../../../pkg/domain/campaign-defaults.ts';
import { CONTACT_POLICY } from '../../../pkg/domain/contact-policy.ts';
import { quoted, type Rule } from './rule.ts';

const SOURCE = 'pkg/domain/contact-policy.ts';

/** The defaults of one kind, as `when 'rule' then value`. */
function policyCases(kind: 'number' | 'boolean'): string[] {
  return Object.entries(CONTACT_POLICY)
    .filter(([, value]) => typeof value === kind)
    .map(([rule, value]) => `    when ${quoted(rule)} then ${value}`);
}

const policyRule = (file: string, type: 'int' | 'boolean', kind: 'number' | 'boolean', says: string): Rule => ({
  file,
  source: SOURCE,
  says: [says, 'It answers null for a rule that the policy does not have.'],
  parameters: 'p_settings jsonb, p_rule text',
  returns: type,
  body: [
    `select coalesce((p_settings -> 'contactPolicy' ->> p_rule)::${type},`,
    '  case p_rule',
    ...policyCases(kind),
    '  end)',
  ],
});

/** What holds where a campaign says nothing. */
export const CAMPAIGN_RULES: readonly Rule[] = [
  policyRule('ledger/policy_days', 'int', 'number', "A number of a campaign's contact policy, with its default."),
  policyRule('ledger/policy_flag', 'boolean', 'boolean', "A switch of a campaign's contact policy, with its default."),
  {
    file: 'ledger/dedupe_scope',
    source: SOURCE,
    says: ['Within what a person is contacted by one run at a time, with its default.'],
    parameters: 'p_settings jsonb',
    returns: 'text',
    body: [`select coalesce(p_settings -> 'contactPolicy' ->> 'dedupeScope', ${quoted(CONTACT_POLICY.dedupeScope)})`],
  },
  {
    file: 'scoring/score_min',
    source: 'pkg/domain/campaign-defaults.ts',
    says: ["The scoreMin in a campaign's settings, with its default (catalog: defaults.score)."],
    parameters: 'p_settings jsonb',
    returns: 'double precision',
    body: [`select coalesce((p_settings ->> 'scoreMin')::float8, ${SCORE_MIN})`],
  },
];
