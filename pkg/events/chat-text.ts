import type { JsonObject } from '../base/json.ts';
import type { EventKind } from '../domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from './event-definitions.ts';
import type { EventEnvelope } from './event-envelope.ts';

/** Characters of a text that came from outside. */
const SHOWN = 200;

/** What a message says beside the sentence of its kind; where a kind is missing, the sentence and its records say it all. */
const DETAILS: Partial<Record<EventKind, (data: JsonObject) => string>> = {
  'run.step_done': ({ nodeType, outcome }) => `${said(nodeType)}: ${said(outcome)}`,
  'run.blocked': reasonOf,
  'run.completed': reasonOf,
  'run.failed': reasonOf,
  'review.decided': ({ decision }) => said(decision),
  'message.sent': actionOf,
  'message.failed': (data) => `${actionOf(data)}: ${reasonOf(data)}`,
  'reply.received': ({ class: found, channel }) => `${said(found)}, by ${said(channel)}`,
  'reply.classified': ({ class: found }) => said(found),
  'unsubscribe.received': ({ by }) => `by ${said(by)}`,
  'mail.bounced': ({ kind }) => said(kind),
  'mail.complained': ({ by }) => `by ${said(by)}`,
  'meeting.created': ({ startsAt }) => `it begins ${whenOf(startsAt)}`,
  'watch.found': ({ found }) => `${said(found)} found`,
  'watch.paused': reasonOf,
  'account.status_changed': ({ was, status }) => `${said(was)} → ${said(status)}`,
  'account.budget_exhausted': ({ budget, window }) => `${said(budget)}, for this ${said(window)}`,
  'send.frozen': freezeOf,
  'send.released': freezeOf,
  'dead_letter.opened': ({ action, state }) => `${said(action)}, ${said(state)}`,
  'credits.low': ({ available }) => `${said(available)} left`,
  'credits.exhausted': ({ available }) => `${said(available)} left`,
  'import.completed': ({ status, created, updated, failed }) =>
    `${said(status)}, ${said(created)} new, ${said(updated)} updated, ${said(failed)} failed`,
  'automation.failed': reasonOf,
  'split.winner_ready': ({ winner }) => shown(winner),
  'integration.error': reasonOf,
  'member.joined': ({ role }) => `as ${said(role)}`,
};

/** Records that a message names, with the word for each. */
const RECORDS: readonly (readonly [field: string, word: string])[] = [
  ['campaignId', 'campaign'],
  ['workflowId', 'workflow'],
  ['leadId', 'lead'],
  ['networkAccountId', 'account'],
  ['providerAccountId', 'mailbox'],
  ['accountId', 'account'],
  ['watchId', 'watch'],
  ['contentPostId', 'post'],
  ['importId', 'import'],
  ['automationId', 'automation'],
  ['integrationId', 'integration'],
  ['apiKeyId', 'key'],
  ['memberId', 'member'],
];

/**
 * A message of one line about an event, in Slack's markup: what happened, and the ids of its records. Names of people are no part of it, as
 * they are none of an event.
 */
export function chatText({ kind, workspaceId, data }: EventEnvelope): string {
  const detail = DETAILS[kind]?.(data) ?? '';
  const records = RECORDS.flatMap(([field, word]) =>
    typeof data[field] === 'string' ? [`${word} ${shown(data[field])}`] : [],
  );
  const leads = Array.isArray(data['leadIds']) ? [`${data['leadIds'].length} leads`] : [];
  const about = [`workspace ${shown(workspaceId)}`, ...records, ...leads].join(' · ');
  const sentence = EVENT_DEFINITIONS[kind].says.replace(/\.$/, '');
  return `*${escaped(sentence)}*${detail === '' ? '' : `: ${detail}`}\n${about}`;
}

function reasonOf({ reason }: JsonObject): string {
  return shown(reason);
}

function actionOf({ action }: JsonObject): string {
  return said(action);
}

function freezeOf({ scope, channel, until }: JsonObject): string {
  const what = channel ? `${said(scope)}, ${said(channel)}` : said(scope);
  return typeof until === 'number' ? `${what}, until ${whenOf(until)}` : what;
}

function whenOf(at: unknown): string {
  return typeof at === 'number' ? new Date(at).toISOString() : said(null);
}

/** A word of the product, as people write it. */
function said(value: unknown): string {
  return shown(value).replaceAll('_', ' ');
}

/** A value as it is, in one line. */
function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not known';
  const text = String(value).replace(/\s+/g, ' ');
  return escaped(text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text);
}

/** What Slack would read as a link, a mention or a call to everybody is text. Source: Slack, "Escaping text". */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
