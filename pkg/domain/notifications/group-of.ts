import type { EventKind } from '../event-kinds.ts';
import { NOTIFICATION_RULES } from './notification-rules.ts';

/** What an event belongs to. */
export interface EventPlace {
  kind: EventKind;
  campaignId: string | null;
  workflowId: string | null;
  accountId: string | null;
  /** The class of an answer; null: it is none. */
  replyClass: string | null;
}

/** Under which key an event joins what is unread of its kind; null: it is told alone. */
export function groupOf({ kind, campaignId, workflowId, accountId, replyClass }: EventPlace): string | null {
  const { groupedBy } = NOTIFICATION_RULES[kind];
  if (groupedBy === undefined) return null;
  const of = { campaign: campaignId, workflow: workflowId, account: accountId, workspace: '' }[groupedBy];
  // An answer that a person has to read must not drown in those that were understood.
  const apart = kind === 'reply.received' && replyClass === 'unclassified' ? ':unread' : '';
  return `${kind}${apart}:${of ?? ''}`;
}
