import type { EventKind } from './event-kinds.ts';
import type { AccountTier } from './vocabulary.ts';

/**
 * Everything that is known of an action before anybody takes it: a row each. `make generate` writes the SQL functions
 * that ask the same (app.is_contact, app.is_harmless, app.default_budget, app.ceiling_day, app.ceiling_week) from these
 * rows. Sources: catalog `enums.budgetAction`, `defaults` (budgets, hardCeiling, pacing).
 */

/** Units per local date and per seven local dates; null is no limit of that kind. */
export interface Limit {
  day: number;
  week: number | null;
}

/** Contact reaches a person: it takes the long gaps (catalog: pacing) and counts for the contact policy. Passive does not. */
export type ActionClass = 'contact' | 'passive';

/** One action. */
export interface ActionRow {
  class: ActionClass;
  /**
   * It does no harm, however often it is done and whatever became of it: a lost answer goes on as maybe, and is never a
   * second message.
   */
  harmless: boolean;
  /** A harmless action for which prepare-effect.ts learns nothing but the person's id: it may be dispatched with its request. */
  atOnce: boolean;
  /** Nothing of it reaches the person, and it takes back what did: it is done to excluded people too. */
  evenExcluded: boolean;
  /** Kind of the event in a run's history when it is confirmed; null writes none. */
  event: EventKind | null;
  /** The node type whose steps take it; null: no step is named after it. */
  nodeType: string | null;
  /** What an account of a tier may do when nothing else is configured. */
  budgets: Readonly<Record<AccountTier, Limit>>;
  /** The network's own bound: nobody goes above it, whatever is configured. */
  ceiling: Limit | null;
  /** A setting may raise it above the default, up to the ceiling; of others it only lowers. */
  raisable: boolean;
}

const limit = (day: number, week: number | null = null): Limit => ({ day, week });

/** The catalog gives recruiter the budgets of sales. */
const byTier = (basic: Limit, premium: Limit, sales: Limit): ActionRow['budgets'] => ({
  basic,
  premium,
  sales,
  recruiter: sales,
});

const everyTier = (day: number): ActionRow['budgets'] => byTier(limit(day), limit(day), limit(day));

const CONTACT = {
  class: 'contact',
  harmless: false,
  atOnce: false,
  evenExcluded: false,
  ceiling: null,
  raisable: false,
} as const;
const PASSIVE = {
  class: 'passive',
  harmless: false,
  atOnce: false,
  evenExcluded: false,
  event: null,
  ceiling: null,
  raisable: false,
} as const;

export const ACTIONS = {
  connection_request: {
    ...CONTACT,
    event: 'connection.requested',
    nodeType: 'network:connection_request',
    budgets: byTier(limit(15, 80), limit(20, 100), limit(25, 150)),
    ceiling: limit(100, 200),
  },
  // A noted request spends both request budgets; its send is a connection_request.
  connection_request_with_note: {
    ...CONTACT,
    event: null,
    nodeType: null,
    budgets: byTier(limit(1, 1), limit(20, 100), limit(25, 150)),
    ceiling: limit(100, 200),
  },
  message: {
    ...CONTACT,
    event: 'message.sent',
    nodeType: 'network:message',
    budgets: byTier(limit(40, 200), limit(50, 250), limit(60, 300)),
  },
  inmail: {
    ...CONTACT,
    event: 'message.sent',
    nodeType: 'network:inmail',
    budgets: byTier(limit(0), limit(15), limit(30)),
  },
  profile_view: {
    ...PASSIVE,
    harmless: true,
    atOnce: true,
    nodeType: 'network:profile_view',
    budgets: byTier(limit(50), limit(80), limit(100)),
  },
  follow: {
    ...PASSIVE,
    harmless: true,
    atOnce: true,
    nodeType: 'network:follow',
    budgets: byTier(limit(15), limit(20), limit(25)),
  },
  like: {
    ...PASSIVE,
    harmless: true,
    nodeType: 'network:like_post',
    budgets: byTier(limit(30), limit(30), limit(40)),
  },
  comment: {
    ...CONTACT,
    event: 'message.sent',
    nodeType: 'network:comment_post',
    budgets: byTier(limit(10), limit(15), limit(15)),
  },
  endorse: {
    ...PASSIVE,
    harmless: true,
    nodeType: 'network:endorse',
    budgets: byTier(limit(10), limit(15), limit(20)),
  },
  withdraw_request: {
    ...PASSIVE,
    evenExcluded: true,
    event: 'connection.withdrawn',
    nodeType: 'network:withdraw_request',
    budgets: byTier(limit(40), limit(40), limit(50)),
  },
  // Not in the catalog's list of budgets: careful values, mail its own (catalog: defaults.mail.dailyMailLimit).
  post: { ...PASSIVE, nodeType: null, budgets: everyTier(3) },
  search: { ...PASSIVE, nodeType: null, budgets: everyTier(30) },
  profile_scrape: { ...PASSIVE, nodeType: null, budgets: everyTier(100) },
  // Its owner knows what the mailbox's provider takes, up to what Google takes of a paying one.
  mail: {
    ...CONTACT,
    event: 'message.sent',
    nodeType: 'mail:send',
    budgets: everyTier(40),
    ceiling: limit(2000),
    raisable: true,
  },
} as const satisfies Readonly<Record<string, ActionRow>>;

/** What an account spends; one budget row each. A noted request spends both request budgets. */
export type BudgetAction = keyof typeof ACTIONS;

/** Actions that a step takes on the network. */
export type NetworkActionKind = {
  [Action in BudgetAction]: (typeof ACTIONS)[Action]['nodeType'] extends `network:${string}` ? Action : never;
}[BudgetAction];

/** In the order of the table. */
export const BUDGET_ACTIONS = Object.keys(ACTIONS) as [BudgetAction, ...BudgetAction[]];

/** The row of an action; undefined for a word that is none. */
export function actionRow(action: string): ActionRow | undefined {
  return Object.hasOwn(ACTIONS, action) ? ACTIONS[action as BudgetAction] : undefined;
}

/** The class of an action; a word that is none takes the gaps of passive ones, as in the database. */
export function classOf(action: string): ActionClass {
  return actionRow(action)?.class ?? 'passive';
}

/** Whether an action reaches a person. */
export function isContact(action: string): boolean {
  return classOf(action) === 'contact';
}

/** Whether nothing bad follows when nobody can know if the action happened, or when it happens twice. */
export function isHarmless(action: string): boolean {
  return actionRow(action)?.harmless ?? false;
}

/** Whether an action is done to people who are excluded, too. */
export function isEvenExcluded(action: string): boolean {
  return actionRow(action)?.evenExcluded ?? false;
}

/** Whether a setting may raise the daily limit of an action above its default. */
export function isRaisable(action: string): boolean {
  return actionRow(action)?.raisable ?? false;
}

/** The actions whose budgets an action spends, itself first. @param withText it carries a text: a note, where it is a request */
export function budgetsOf(action: BudgetAction, withText: boolean): readonly [BudgetAction, ...BudgetAction[]] {
  return action === 'connection_request' && withText ? [action, 'connection_request_with_note'] : [action];
}
