import type { Ids } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { mailMoment } from '../../domain/notifications/mail-moment.ts';
import { noticeWords } from '../../domain/notifications/notice-words.ts';
import { NOTIFICATION_RULES } from '../../domain/notifications/notification-rules.ts';
import type { Hearer } from '../../domain/notifications/who-is-told.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import { tellEvent } from '../../events/tell-event.ts';
import type { Tx } from '../../postgres/database.ts';
import type { StoredEvent } from '../../store/events/read-events.ts';
import {
  type EventNames,
  readEventNames,
  readWaitingDrafts,
  type WaitingDrafts,
} from '../../store/notifications/event-names.ts';
import { lockGroups, type NewNotice, type OpenGroup, writeNotices } from '../../store/notifications/told-notices.ts';
import { accountOf, campaignOf } from './event-place.ts';

/** What the reader of events needs. */
export interface Reading {
  ids: Ids;
  /** Epoch ms, product time. */
  now: number;
  /** Epoch ms, real time. */
  realNow: number;
}

/** One event for one member. */
export interface Telling {
  event: StoredEvent;
  seq: number;
  hearer: Hearer;
  userId: string;
  /** Null: the event is told alone. */
  groupKey: string | null;
}

/** What the words of notifications are made of. */
interface Known {
  names: EventNames;
  drafts: ReadonlyMap<string, WaitingDrafts>;
  open: ReadonlyMap<string, OpenGroup>;
}

/** Ids that name one of several: what tells of more leaves them out. */
const OF_ONE = ['leadId', 'runId', 'nodeId', 'reviewItemId', 'sendId', 'conversationId'];

/** Makes the notifications of these tellings, one per member and group, and grows those that are unread. */
export async function tellEach(
  tx: Tx,
  workspaceId: string,
  tellings: readonly Telling[],
  { ids, now }: Reading,
): Promise<void> {
  if (tellings.length === 0) return;
  const known = await learn(tx, workspaceId, tellings);
  const groups = Map.groupBy(tellings, ({ userId, groupKey, seq }) => `${userId} ${groupKey ?? seq}`);
  const notices = [...groups.values()].flatMap((members) =>
    noticeOf(members, known, { id: ids.uuid(), workspaceId, now }),
  );
  await writeNotices(tx, notices);
}

async function learn(tx: Tx, workspaceId: string, tellings: readonly Telling[]): Promise<Known> {
  const events = [...new Set(tellings.map(({ event }) => event))];
  const campaigns = [...new Set(events.map(campaignOf).filter((id) => id !== null))];
  const accounts = [...new Set(events.map(accountOf).filter((id) => id !== null))];
  const keys = [...new Set(tellings.map(({ groupKey }) => groupKey).filter((key) => key !== null))];
  const open = await lockGroups(tx, workspaceId, keys);
  return {
    names: await readEventNames(tx, workspaceId, { campaigns, accounts }),
    drafts: await readWaitingDrafts(tx, workspaceId, campaigns),
    open: new Map(open.map((group) => [`${group.userId} ${group.groupKey}`, group])),
  };
}

function noticeOf(
  members: readonly Telling[],
  known: Known,
  { id, workspaceId, now }: { id: string; workspaceId: string; now: number },
): NewNotice[] {
  const last = members.at(-1);
  if (!last) return [];
  const { event, hearer, groupKey, userId } = last;
  const { kind } = event;
  const group = groupKey === null ? undefined : known.open.get(`${userId} ${groupKey}`);
  const events = members.length + (group?.events ?? 0);
  const campaign = campaignOf(event);
  const drafts = kind === 'review.pending' ? known.drafts.get(campaign ?? '') : undefined;
  // All of them were decided before anybody was told.
  if (kind === 'review.pending' && !drafts) return [];
  const campaignTitle = known.names.campaigns.get(campaign ?? '') ?? null;
  const data: JsonObject = {
    ...dataOf(event, drafts?.waiting ?? events),
    ...(drafts ? { ...drafts, campaignTitle } : {}),
  };
  const told = {
    count: events,
    campaign: campaignTitle,
    account: known.names.accounts.get(accountOf(event) ?? '') ?? null,
    data,
    now,
  };
  const rule = NOTIFICATION_RULES[kind];
  const channels = hearer.preferences.channelsOf(kind);
  const urgent = rule.urgent === true;
  return [
    {
      id,
      workspaceId,
      userId,
      kind,
      groupKey,
      origin: `event:${members[0]?.seq ?? event.seq}`,
      events,
      ...noticeWords(kind, EVENT_DEFINITIONS[kind].says, told),
      data,
      nextTool:
        kind === 'review.pending' && data['reviewItemId'] === undefined ? 'svc_list_review_items' : rule.nextTool,
      inApp: channels.includes('in_app'),
      mailAt: channels.includes('email')
        ? mailMoment(now, hearer.preferences, { urgent, mailedAt: group?.mailedAt ?? null })
        : null,
      now,
    },
  ];
}

/** The records that it is about, as the event tells them, and what of it is said in words. @param count how many it tells of */
function dataOf(event: StoredEvent, count: number): JsonObject {
  const told = Object.entries(tellEvent(event).data).filter(([name, value]) => value !== null && isTold(name, count));
  const { asked, instructions } = event.data;
  return {
    ...Object.fromEntries(told),
    ...(typeof asked === 'string' ? { asked } : {}),
    ...(typeof instructions === 'string' ? { instructions } : {}),
  };
}

const isTold = (name: string, count: number): boolean => count === 1 || !OF_ONE.includes(name);
