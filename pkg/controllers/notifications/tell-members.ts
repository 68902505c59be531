import type { EventKind } from '../../domain/event-kinds.ts';
import { groupOf } from '../../domain/notifications/group-of.ts';
import { sharersOrigin } from '../../domain/notifications/sharers-origin.ts';
import { type Hearer, whoIsTold } from '../../domain/notifications/who-is-told.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';
import { readEvents, type StoredEvent } from '../../store/events/read-events.ts';
import { readAudience } from '../../store/notifications/hearers.ts';
import { claimEvents, toldDirectly } from '../../store/notifications/told-notices.ts';
import { refreshDraftGroups } from './draft-groups.ts';
import { accountOf, campaignOf, dataText } from './event-place.ts';
import { type Reading, type Telling, tellEach } from './tell-each.ts';

/** Kinds that the engine tells members directly, in words of its own (app.notify_members): nobody is told twice. */
const TOLD_BY_ENGINE: ReadonlySet<EventKind> = new Set(['review.expired', 'run.step_done', 'report.ready']);
/** Kinds that change how many drafts wait. */
const MOVES_DRAFTS: ReadonlySet<EventKind> = new Set([
  'review.pending',
  'review.decided',
  'review.expired',
  'reply.received',
  'run.completed',
  'run.failed',
  'unsubscribe.received',
]);

/**
 * Reads the next events of a workspace and tells its members, in one transaction: one notification per event and member, grouped in
 * place while it is unread. Platform only.
 * @returns how many events were read
 */
export async function tellMembers(tx: Tx, workspaceId: string, reading: Reading): Promise<number> {
  const events = await readEvents(tx, 'notifications', workspaceId, reading.realNow);
  if (events.length === 0) return 0;
  const { hearers } = await readAudience(tx, workspaceId);
  const tellings = events.flatMap((event) => tellingsOf(event, hearers));
  const fresh = await withoutToldOnes(tx, workspaceId, tellings);
  const claimed = await claimEvents(tx, workspaceId, reading.now, fresh);
  await tellEach(tx, workspaceId, claimed, reading);
  const moved = events.filter(({ kind }) => MOVES_DRAFTS.has(kind)).map(({ campaignId }) => campaignId);
  await refreshDraftGroups(
    tx,
    workspaceId,
    [...new Set(moved)].filter((id) => id !== null),
    reading.now,
  );
  return events.length;
}

function tellingsOf(event: StoredEvent, hearers: readonly Hearer[]): Telling[] {
  if (TOLD_BY_ENGINE.has(event.kind)) return [];
  const { kind, actor, seq } = event;
  const happening = { kind, actor, named: namedBy(event), scope: EVENT_DEFINITIONS[kind].scope };
  return whoIsTold(happening, hearers)
    .filter(({ preferences }) =>
      preferences.channelsOf(kind).some((channel) => channel === 'in_app' || channel === 'email'),
    )
    .map((hearer) => ({ event, seq, hearer, userId: hearer.userId, groupKey: groupKeyOf(event) }));
}

/** Reviewers who were asked, or the member whose own it is. */
function namedBy({ data: { reviewers, member } }: StoredEvent): string[] {
  if (Array.isArray(reviewers)) return reviewers.map(String);
  return typeof member === 'string' ? [member] : [];
}

function groupKeyOf(event: StoredEvent): string | null {
  return groupOf({
    kind: event.kind,
    campaignId: campaignOf(event),
    workflowId: event.workflowId ?? dataText(event, 'workflowId'),
    accountId: accountOf(event),
    replyClass: dataText(event, 'class'),
  });
}

/**
 * Where a member has a notification of this origin, another door told them of the event: who pauses an account for others tells them
 * in words of its own, and an executor or a database of the version before told of drafts and of answers by itself. Contract: those
 * two go once no such executor can run any more.
 */
function directOrigin({ kind, data, runId, at }: StoredEvent): string | null {
  if (kind === 'review.pending') return `review:${String(data['reviewItemId'])}`;
  if (kind === 'reply.received') return `reply:${runId}:${at}`;
  if (kind !== 'account.status_changed') return null;
  const accountId = String(data['accountId']);
  if (data['status'] === 'paused') return sharersOrigin('account-paused', accountId, at);
  return data['was'] === 'paused' ? sharersOrigin('account-resumed', accountId, at) : null;
}

async function withoutToldOnes(tx: Tx, workspaceId: string, tellings: readonly Telling[]): Promise<Telling[]> {
  const origins = tellings.map(({ event }) => directOrigin(event)).filter((origin) => origin !== null);
  if (origins.length === 0) return [...tellings];
  const told = await toldDirectly(tx, workspaceId, [...new Set(origins)]);
  return tellings.filter(({ userId, event }) => !told.has(`${userId} ${directOrigin(event)}`));
}
