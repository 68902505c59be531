import { LEAD_FIELDS } from './template.ts';

/** Rules of `flow:condition`. Source: catalog `nodeTypes`. */

export const CONDITION_OPS = [
  'eq',
  'neq',
  'in',
  'not_in',
  'contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'exists',
  'not_exists',
  'within_days',
] as const;
export type ConditionOp = (typeof CONDITION_OPS)[number];

export const SIGNAL_TYPES = ['job_change', 'new_post', 'funding_round', 'headcount_growth'] as const;

/** A fact's value; null and '' are unknown. Instants are epoch ms UTC or ISO 8601 texts. */
export type FactValue = string | number | boolean | readonly string[] | null;

export interface ConditionRule {
  field: string;
  op: ConditionOp;
  value?: string | number | boolean | readonly (string | number)[] | undefined;
}

const DAY_MS = 86_400_000;
const FIELDS: readonly string[] = [
  ...LEAD_FIELDS.map((name) => `lead.${name}`),
  'lead.timezone',
  'lead.profileUrl',
  'lead.tags',
  'score.total',
  'score.icp',
  'score.signals',
  'run.connected',
  'run.replied',
  'run.replyClass',
  'run.daysSinceLastTouch',
  ...SIGNAL_TYPES.map((type) => `signal.${type}`),
  'company.name',
  'company.companySize',
  'company.industry',
  'account.tier',
];

/** What is wrong with a rule, or null. */
export function problemOfRule(rule: ConditionRule): string | null {
  if (!FIELDS.includes(rule.field) && !/^lead\.customFields\..{1,64}$/.test(rule.field)) {
    return `unknown field "${rule.field}"; known are ${FIELDS.join(', ')}, lead.customFields.<name>`;
  }
  if (rule.op === 'exists' || rule.op === 'not_exists') return null;
  if (rule.value === undefined) return `operator ${rule.op} needs a value`;
  if ((rule.op === 'in' || rule.op === 'not_in') && !Array.isArray(rule.value))
    return `operator ${rule.op} needs a list`;
  if (rule.op !== 'in' && rule.op !== 'not_in' && Array.isArray(rule.value)) return `operator ${rule.op} takes no list`;
  const wantsNumber = ['gt', 'gte', 'lt', 'lte', 'within_days'].includes(rule.op);
  if (wantsNumber && !Number.isFinite(Number(rule.value))) return `operator ${rule.op} needs a number`;
  if (rule.op === 'within_days' && rule.field.startsWith('run.')) return 'compare run.daysSinceLastTouch with lte';
  return null;
}

function known(value: FactValue): value is Exclude<FactValue, null> {
  if (value === null || value === '') return false;
  return !(Array.isArray(value) && value.length === 0);
}

const fold = (value: unknown): string => String(value).trim().toLowerCase();

function same(fact: Exclude<FactValue, null>, value: unknown): boolean {
  if (Array.isArray(fact)) return fact.some((one) => fold(one) === fold(value));
  return fold(fact) === fold(value);
}

function compare(op: ConditionOp, fact: number, value: number): boolean {
  if (op === 'gt') return fact > value;
  if (op === 'gte') return fact >= value;
  if (op === 'lt') return fact < value;
  return fact <= value;
}

function instantOfFact(fact: Exclude<FactValue, null>): number {
  if (typeof fact === 'number') return fact;
  return typeof fact === 'string' ? Date.parse(fact) : Number.NaN;
}

function containsText(fact: Exclude<FactValue, null>, value: unknown): boolean {
  const all = Array.isArray(fact) ? fact : [fact];
  return all.some((one) => fold(one).includes(fold(value)));
}

/**
 * One rule. Texts compare without case; an unknown fact fails every rule but `not_exists`, `neq` and `not_in`
 * (what nobody knows is not equal to anything).
 */
export function ruleHolds(rule: ConditionRule, fact: FactValue, nowMs: number): boolean {
  const { op, value } = rule;
  if (op === 'exists') return known(fact);
  if (op === 'not_exists') return !known(fact);
  if (!known(fact)) return op === 'neq' || op === 'not_in';
  if (op === 'eq') return same(fact, value);
  if (op === 'neq') return !same(fact, value);
  if (op === 'contains') return containsText(fact, value);
  const list = Array.isArray(value) ? value : [value];
  if (op === 'in') return list.some((one) => same(fact, one));
  if (op === 'not_in') return !list.some((one) => same(fact, one));
  if (op === 'within_days') {
    const age = nowMs - instantOfFact(fact);
    return age >= 0 && age <= Number(value) * DAY_MS;
  }
  const left = Number(fact);
  return Number.isFinite(left) && compare(op, left, Number(value));
}

/** All or any of the rules, over facts that `factOf` looks up by field. */
export function conditionHolds(
  match: 'all' | 'any',
  rules: readonly ConditionRule[],
  factOf: (field: string) => FactValue,
  nowMs: number,
): boolean {
  const holds = (rule: ConditionRule) => ruleHolds(rule, factOf(rule.field), nowMs);
  return match === 'all' ? rules.every(holds) : rules.some(holds);
}
