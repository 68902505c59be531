import type { EventKind } from './event-kinds.ts';

/** What members are told of, with the tool that leads on from it; null: none does. A new kind is a line here. */
export const NOTIFICATION_KINDS = {
  'reply.received': { nextTool: 'svc_list_conversations' },
  'review.pending': { nextTool: 'svc_get_review_item' },
  'review.expired': { nextTool: 'svc_list_review_items' },
  'account.status_changed': { nextTool: 'svc_get_network_account_budgets' },
  'run.step_done': { nextTool: 'svc_get_lead' },
} as const satisfies Partial<Record<EventKind, { nextTool: string | null }>>;

export type NotificationKind = keyof typeof NOTIFICATION_KINDS;
