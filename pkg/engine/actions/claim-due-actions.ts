import type { SlotRequest } from '../../domain/account-plan.ts';
import { DEFAULT_BUSINESS_HOURS, type SendHours, spreadOpening } from '../../domain/business-hours.ts';
import { openTime } from '../../domain/hour-share.ts';
import { outOfPatience } from '../../domain/patience.ts';
import type { EffectWords } from '../../nodes/node-type.ts';
import type { Tx } from '../../postgres/database.ts';
import { messageIdOf } from '../../providers/mail/message-id.ts';
import { type ActionMove, claimActions, type DueAction, dueActions, moveActions } from '../../store/actions/actions.ts';
import { type PostFacts, readLastPosts, readPostFacts } from '../../store/content/post-facts.ts';
import type { ClaimAnswer, ClaimRequest } from '../../store/ledger/ledger.ts';
import {
  type AccountRow,
  type LeadBasics,
  type RelationRow,
  readAccounts,
  readLeadBasics,
  readRelations,
} from '../../store/runs/batch-facts.ts';
import { askForPost } from '../content/ask-for-post.ts';
import { POST_EFFECT } from '../content/post-effect.ts';
import type { GrantedEffect } from '../ledger/claim-effects.ts';
import { claimPlanned } from '../ledger/claim-planned.ts';
import { hoursOf } from '../settings.ts';
import { actionRequest } from './action-request.ts';
import { actionTarget } from './action-target.ts';
import { ACTION_TYPES } from './action-types.ts';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
/** After a stop of which nobody knows when it ends, an action asks again this much later. */
const STOPPED_MS = 15 * MINUTE_MS;
/** Tries whose executor ended first, as for runs (effect-step.ts). */
const MAX_ENDINGS = 20;
/** What goes out at times that people chose is not spread over the day: all of it may go out in one hour. */
const AT_APPOINTED_TIMES = { hoursPerDay: 1, daysPerWeek: 7 };

/** An action with what its request is made of. */
interface Asking {
  action: DueAction;
  type: EffectWords;
  account: AccountRow;
  /** Null: a person chose its time. */
  hours: SendHours | null;
  request: ClaimRequest;
}

/** What {@link claimDueActions} needs beside the transaction. */
export interface ClaimContext {
  workspaceId: string;
  /** Epoch ms, product time. */
  now: number;
  newId: () => string;
  limit: number;
}

/**
 * Claims what is due of the workspace's actions without a run, and writes where the others go: to the moment that their account
 * promises, or to their end.
 * @returns what may be performed once `tx` is committed, and how many were due
 */
export async function claimDueActions(
  tx: Tx,
  context: ClaimContext,
): Promise<{ granted: GrantedEffect[]; due: number }> {
  const { now } = context;
  const due = await dueActions(tx, now, [...ACTION_TYPES.keys()], context.limit);
  if (due.length === 0) return { granted: [], due: 0 };
  const moves: ActionMove[] = [];
  const asking = new Map<string, Asking>();
  const facts = await factsOf(tx, context, due);
  for (const action of due) {
    if (action.contentPostId !== null) {
      const asked = askingOfPost(action, facts, context);
      if ('request' in asked) asking.set(action.id, asked);
      else moves.push(asked);
      continue;
    }
    const over = endOf(action, now);
    const ask = action.calendarChangeId === null ? askingOf : askingOfInvitation;
    const one = over === null ? ask(action, facts, context) : null;
    if (one) asking.set(action.id, one);
    else moves.push(over ?? unable(action, now));
  }
  const requests = [...asking.values()].map((one) => one.request);
  const answers = await claimPlanned(tx, now, requests, (request) => timesOf(asking, request, now), claimActions);
  const granted = answers.flatMap((answer) => {
    const one = asking.get(answer.runId);
    if (!one) return [];
    if (answer.granted) return [effectOf(one, answer, context)];
    moves.push(moveOf(one.action, answer, now));
    return [];
  });
  await moveActions(tx, moves);
  return { granted, due: due.length };
}

interface Facts {
  accounts: ReadonlyMap<string, AccountRow>;
  leads: ReadonlyMap<string, LeadBasics>;
  /** `<account>/<person>` -> relation. */
  relations: ReadonlyMap<string, RelationRow>;
  posts: ReadonlyMap<string, PostFacts>;
  /** When accounts published last, as far as this batch goes. */
  lastPosts: Map<string, number>;
}

async function factsOf(tx: Tx, { workspaceId, now }: ClaimContext, due: readonly DueAction[]): Promise<Facts> {
  const unique = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
  const accounts = await readAccounts(tx, workspaceId, unique(due.map((one) => one.accountId)));
  const leads = await readLeadBasics(tx, unique(due.map((one) => one.leadId)));
  const relations = await readRelations(tx, unique(due.map((one) => one.personId)));
  const ofPosts = due.filter((one) => one.contentPostId !== null);
  return {
    posts: await readPostFacts(tx, unique(ofPosts.map((one) => one.contentPostId))),
    lastPosts: await readLastPosts(tx, unique(ofPosts.map((one) => one.accountId)), now),
    accounts: new Map(accounts.map((one) => [one.id, one])),
    leads: new Map(leads.map((one) => [one.id, one])),
    relations: new Map(relations.map((one) => [`${one.accountId}/${one.personId}`, one])),
  };
}

/** Whether it is too late for it, or it failed too often. */
function endOf(action: DueAction, now: number): ActionMove | null {
  const { id, expiresAt, tries, failingSince, endings } = action;
  const end = { id, end: 'failed', outcome: 'failed', at: now } as const;
  if (endings >= MAX_ENDINGS || (failingSince !== null && outOfPatience(tries, failingSince, now)))
    return { ...end, error: 'it failed again and again' };
  if (expiresAt === null || expiresAt >= now) return null;
  return { id, end: 'stopped', outcome: null, error: 'too late: its account had no room for it in time', at: now };
}

/** Its lead or its account is gone. */
function unable({ id }: DueAction, now: number): ActionMove {
  return {
    id,
    end: 'stopped',
    outcome: null,
    error: 'its account is not linked any more, or its lead is gone',
    at: now,
  };
}

function askingOf(action: DueAction, facts: Facts, { now, newId }: ClaimContext): Asking | null {
  const type = ACTION_TYPES.get(action.action);
  const account = facts.accounts.get(action.accountId);
  const lead = facts.leads.get(action.leadId ?? '');
  if (!type || !account || !lead || lead.erased) return null;
  const relation = facts.relations.get(`${account.id}/${action.personId}`);
  const hours: SendHours = {
    account: hoursOf(account.businessHours) ?? { ...DEFAULT_BUSINESS_HOURS, timezoneMode: 'account' },
    accountTimezone: account.timezone,
    campaign: null,
    leadTimezone: lead.timezone,
  };
  const sendId = newId();
  const opensAt = action.urgent ? now : openingOf(hours, action.id, now);
  const request: ClaimRequest = {
    ...actionRequest(action, sendId, account.id, actionTarget(action, sendId, { lead, relation, account })),
    ...(opensAt > now ? { notBefore: opensAt } : {}),
  };
  return { action, type, account, hours, request };
}

/** Who is invited need not be a lead: the mailbox and the address are all that there is. */
function askingOfInvitation(action: DueAction, facts: Facts, { newId }: ClaimContext): Asking | null {
  const type = ACTION_TYPES.get(action.action);
  const account = facts.accounts.get(action.accountId);
  if (!type || !account) return null;
  const sendId = newId();
  const target = { messageId: messageIdOf(sendId, account.externalId), ...action.target };
  return { action, type, account, hours: null, request: actionRequest(action, sendId, account.id, target) };
}

/** A post that asks counts as published for those of its account behind it. */
function askingOfPost(action: DueAction, facts: Facts, { now, newId }: ClaimContext): Asking | ActionMove {
  const account = facts.accounts.get(action.accountId);
  const asked = askForPost({
    action,
    post: facts.posts.get(action.contentPostId ?? ''),
    account,
    lastPostAt: facts.lastPosts.get(action.accountId) ?? null,
    sendId: newId(),
    now,
  });
  if (!account || !('runId' in asked)) return asked as ActionMove;
  if (action.target['part'] === 'post') facts.lastPosts.set(account.id, now);
  return { action, type: POST_EFFECT, account, hours: null, request: asked };
}

function openingOf(hours: SendHours, id: string, at: number): number {
  const opening = spreadOpening(at, hours, id);
  return Number.isFinite(opening) ? opening : at + WEEK_MS;
}

function timesOf(
  asking: ReadonlyMap<string, Asking>,
  { runId }: ClaimRequest,
  now: number,
): Pick<SlotRequest, 'opening' | 'open'> {
  const one = asking.get(runId);
  if (!one) throw new Error(`action ${runId} did not ask`);
  const { hours } = one;
  if (hours === null) return { opening: (at) => at, open: AT_APPOINTED_TIMES };
  const opening = one.action.urgent ? (at: number) => at : (at: number) => openingOf(hours, runId, at);
  return { opening, open: openTime(hours, now) };
}

function effectOf(
  { action, type, account, request }: Asking,
  answer: ClaimAnswer,
  context: ClaimContext,
): GrantedEffect {
  return {
    request: { claim: request, type, failures: action.tries },
    runId: action.id,
    ofAction: true,
    workspaceId: context.workspaceId,
    personId: action.personId,
    notBefore: answer.actAt ?? 0,
    account: { id: account.id, provider: account.provider, externalId: account.externalId, kind: account.kind },
  };
}

/** A stop and a full calendar pass; a key that was spent and an exclusion do not. */
function moveOf({ id }: DueAction, { refusal, nextAt }: ClaimAnswer, now: number): ActionMove {
  switch (refusal) {
    case 'suppressed':
      return { id, end: 'stopped', outcome: null, error: 'the person must not be contacted', at: now };
    case 'already_sent':
      return { id, end: 'stopped', outcome: null, error: 'it was done for this person before', at: now };
    case 'send_freeze':
    case 'account_unhealthy':
      return { id, dueAt: Math.max(now + 1, nextAt ?? now + STOPPED_MS), waitReason: refusal };
    case 'budget':
    case 'business_hours':
      return { id, dueAt: Math.max(now + 1, nextAt ?? now + MINUTE_MS), waitReason: refusal };
    default:
      return { id, dueAt: Math.max(now + 1, nextAt ?? now + MINUTE_MS), waitReason: 'pacing' };
  }
}
