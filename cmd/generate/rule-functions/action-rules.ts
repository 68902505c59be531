import {
  ACTIONS,
  BUDGET_ACTIONS,
  type BudgetAction,
  budgetsOf,
  isContact,
  isEvenExcluded,
  isHarmless,
  isRaisable,
} from '../../../pkg/domain/actions.ts';
import { ACCOUNT_TIERS, type AccountTier } from '../../../pkg/domain/vocabulary.ts';
import { quoted, type Rule, wordList } from './rule.ts';

const SOURCE = 'pkg/domain/actions.ts';

/** `case p_action when … then … end` over a value of each action; null where it has none. */
function caseOfActions(numberOf: (action: BudgetAction) => number | null): string[] {
  const cases = BUDGET_ACTIONS.flatMap((action) => {
    const value = numberOf(action);
    return value === null ? [] : [`  when ${quoted(action)} then ${value}`];
  });
  return ['select case p_action', ...cases, 'end'];
}

/** `('basic', 'message', 40, 200)` for each action and tier; tiers with the same budgets share a row. */
function budgetRows(): string[] {
  const tiersOf = (action: BudgetAction): Map<string, AccountTier[]> => {
    const groups = new Map<string, AccountTier[]>();
    for (const tier of ACCOUNT_TIERS) {
      const { day, week } = ACTIONS[action].budgets[tier];
      const numbers = `${day}, ${week ?? -1}`;
      groups.set(numbers, [...(groups.get(numbers) ?? []), tier]);
    }
    return groups;
  };
  return BUDGET_ACTIONS.flatMap((action) =>
    [...tiersOf(action)].map(
      ([numbers, tiers]) => `(array[${tiers.map(quoted).join(', ')}], ${quoted(action)}, ${numbers})`,
    ),
  );
}

/** What is known of actions. */
export const ACTION_RULES: readonly Rule[] = [
  {
    file: 'ledger/is_contact',
    source: SOURCE,
    says: [
      'Whether an action reaches a person: it takes the longer gaps (catalog: pacing) and counts for the contact policy.',
    ],
    parameters: 'p_action text',
    returns: 'boolean',
    body: [`select p_action in ${wordList(BUDGET_ACTIONS.filter(isContact))}`],
  },
  {
    file: 'ledger/is_harmless',
    source: SOURCE,
    says: [
      'Whether an action does no harm when nobody can know if it happened: it goes on as maybe, and is never a second',
      'message.',
    ],
    parameters: 'p_action text',
    returns: 'boolean',
    body: [`select p_action in ${wordList(BUDGET_ACTIONS.filter(isHarmless))}`],
  },
  {
    file: 'ledger/is_even_excluded',
    source: SOURCE,
    says: ['Whether nothing of an action reaches the person, so that it is done to excluded people too.'],
    parameters: 'p_action text',
    returns: 'boolean',
    body: [`select p_action in ${wordList(BUDGET_ACTIONS.filter(isEvenExcluded))}`],
  },
  {
    file: 'actions/budgets_of',
    source: SOURCE,
    says: ['The actions whose budgets an action spends, itself first; with a text: a note, where it is a request.'],
    parameters: 'p_action text, p_with_text boolean',
    returns: 'text[]',
    body: [
      'select case',
      ...BUDGET_ACTIONS.flatMap((action) => {
        const all = budgetsOf(action, true);
        const list = all.map(quoted).join(', ');
        return all.length === 1
          ? []
          : [`  when p_with_text and p_action = ${quoted(action)}`, `    then array[${list}]`];
      }),
      '  else array[p_action]',
      'end',
    ],
  },
  {
    file: 'actions/event_of',
    source: SOURCE,
    says: ['Kind of the event that tells that an action was confirmed; null: none.'],
    parameters: 'p_action text',
    returns: 'text',
    body: [
      'select case p_action',
      ...BUDGET_ACTIONS.flatMap((action) => {
        const { event } = ACTIONS[action];
        return event === null ? [] : [`  when ${quoted(action)} then ${quoted(event)}`];
      }),
      'end',
    ],
  },
  {
    file: 'budgets/default_budget',
    source: SOURCE,
    says: [
      'Default budgets by tier (catalog: defaults.budgets). Week -1: no limit of that window. Day 0: not allowed, as is an',
      'action that the table does not have.',
    ],
    parameters: 'p_tier text, p_action text, OUT day int, OUT week int',
    returns: 'record',
    body: [
      'select coalesce(d.day, 0), coalesce(d.week, -1) from (select 1) one left join (values',
      ...budgetRows().map((row, index, all) => `  ${row}${index < all.length - 1 ? ',' : ''}`),
      ') as d (tiers, action, day, week) on d.action = p_action and p_tier = any (d.tiers)',
    ],
  },
  {
    file: 'budgets/ceiling_day',
    source: SOURCE,
    says: ["The network's own bound of an action per day (catalog: defaults.hardCeiling); null: none."],
    parameters: 'p_action text',
    returns: 'int',
    body: caseOfActions((action) => ACTIONS[action].ceiling?.day ?? null),
  },
  {
    file: 'budgets/is_raisable',
    source: SOURCE,
    says: ['Whether a setting of an account may raise the daily limit of an action above its default.'],
    parameters: 'p_action text',
    returns: 'boolean',
    body: [`select p_action in ${wordList(BUDGET_ACTIONS.filter(isRaisable))}`],
  },
  {
    file: 'budgets/ceiling_week',
    source: SOURCE,
    says: ["The network's own bound of an action per seven days (catalog: defaults.hardCeiling); null: none."],
    parameters: 'p_action text',
    returns: 'int',
    body: caseOfActions((action) => ACTIONS[action].ceiling?.week ?? null),
  },
];
