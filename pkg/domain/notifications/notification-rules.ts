import type { EventKind } from '../event-kinds.ts';

/** By what a member hears of a kind. `webhook` and `chat` are endpoints: those of the workspace deliver what they follow, a member's own what is chosen here. */
export const NOTIFICATION_CHANNELS = ['in_app', 'email', 'webhook', 'chat'] as const;
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];

/**
 * To whom a kind goes: owner and admins; the reviewers that the event names, else all who decide drafts; who did it, else owner and
 * admins; who did it with owner and admins; the member whose own it is, else owner and admins. Others hear of it only where they chose the kind.
 */
export type Audience = 'managers' | 'reviewers' | 'doer' | 'doer_and_managers' | 'member';

/** What is one notification while it is unread: all of a kind in a campaign, a workflow, for an account, or in the workspace. */
export type GroupedBy = 'campaign' | 'workflow' | 'account' | 'workspace';

/** How members are told of a kind of event. */
export interface NotificationRule {
  audience: Audience;
  /** Where a member chose nothing: health is on, what comes in volume is off. */
  channels: readonly NotificationChannel[];
  /** Absent: each event is told alone. */
  groupedBy?: GroupedBy;
  /** Security, and what stops all sending: neither quiet hours nor a digest hold it back. */
  urgent?: true;
  /** The tool that leads on from it; null: none does. */
  nextTool: string | null;
}

const OFF: readonly NotificationChannel[] = [];
const READ: readonly NotificationChannel[] = ['in_app'];
const HEALTH: readonly NotificationChannel[] = ['in_app', 'email'];

const managers = (channels: readonly NotificationChannel[], nextTool: string | null, groupedBy?: GroupedBy) =>
  ({ audience: 'managers', channels, nextTool, ...(groupedBy ? { groupedBy } : {}) }) as const;
const urgent = (nextTool: string, audience: Audience = 'managers') =>
  ({ audience, channels: HEALTH, nextTool, urgent: true }) as const;

/** By kind; a kind without a rule does not compile. Source of the defaults: health is on, volume is off. */
export const NOTIFICATION_RULES: Readonly<Record<EventKind, NotificationRule>> = {
  'lead.created': managers(OFF, 'svc_search_leads', 'workspace'),
  'lead.enriched': managers(OFF, 'svc_get_lead', 'workspace'),
  'lead.score_changed': managers(OFF, 'svc_get_icp_scores', 'campaign'),
  'lead.entered_campaign': managers(OFF, 'svc_list_workflow_runs', 'campaign'),
  'lead.left_campaign': managers(OFF, 'svc_list_workflow_runs', 'campaign'),
  'lead.erased': managers(OFF, null, 'workspace'),
  'run.started': managers(OFF, 'svc_list_workflow_runs', 'campaign'),
  // Of each step only what a node tells its members by itself is told (notify:member).
  'run.step_done': managers(HEALTH, 'svc_get_lead'),
  'run.blocked': managers(HEALTH, 'svc_diagnose', 'campaign'),
  'run.completed': managers(OFF, 'svc_list_workflow_runs', 'campaign'),
  'run.failed': managers(HEALTH, 'svc_diagnose', 'workflow'),
  'review.pending': { audience: 'reviewers', channels: HEALTH, groupedBy: 'campaign', nextTool: 'svc_get_review_item' },
  'review.decided': managers(OFF, 'svc_list_review_items', 'campaign'),
  'review.expired': {
    audience: 'reviewers',
    channels: HEALTH,
    groupedBy: 'campaign',
    nextTool: 'svc_list_review_items',
  },
  'message.sent': managers(OFF, 'svc_list_conversations', 'campaign'),
  'message.failed': managers(READ, 'svc_diagnose', 'campaign'),
  'connection.requested': managers(OFF, 'svc_list_workflow_runs', 'campaign'),
  'connection.accepted': managers(OFF, 'svc_list_workflow_runs', 'campaign'),
  'connection.withdrawn': managers(OFF, 'svc_list_workflow_runs', 'campaign'),
  'reply.received': managers(READ, 'svc_list_conversations', 'campaign'),
  'reply.classified': managers(OFF, 'svc_list_conversations', 'campaign'),
  'unsubscribe.received': managers(READ, 'svc_list_conversations', 'campaign'),
  'mail.bounced': managers(OFF, 'svc_diagnose', 'campaign'),
  'mail.complained': managers(HEALTH, 'svc_diagnose', 'campaign'),
  'meeting.created': managers(HEALTH, 'svc_list_conversations'),
  'meeting.cancelled': managers(HEALTH, 'svc_list_conversations'),
  'signal.detected': managers(OFF, 'svc_list_signals', 'workspace'),
  'signal.expired': managers(OFF, 'svc_list_signals', 'workspace'),
  'watch.found': managers(READ, null, 'workspace'),
  'watch.paused': managers(HEALTH, null),
  'content.submitted': {
    audience: 'reviewers',
    channels: HEALTH,
    groupedBy: 'workspace',
    nextTool: 'svc_get_content_post',
  },
  'content.approved': managers(READ, 'svc_get_content_post', 'workspace'),
  'content.rejected': managers(READ, 'svc_get_content_post', 'workspace'),
  'content.published': managers(OFF, 'svc_get_content_analytics', 'workspace'),
  'content.failed': managers(HEALTH, 'svc_get_content_post', 'workspace'),
  'account.status_changed': managers(HEALTH, 'svc_get_network_account_budgets'),
  'account.budget_exhausted': managers(OFF, 'svc_get_network_account_budgets', 'account'),
  'account.ramp_completed': managers(READ, 'svc_get_network_account_budgets'),
  'send.frozen': urgent('svc_diagnose'),
  'send.released': urgent('svc_diagnose'),
  'dead_letter.opened': managers(HEALTH, 'svc_diagnose', 'account'),
  'warmup.ready': managers(READ, 'svc_get_warmup_status'),
  'credits.low': managers(HEALTH, 'svc_get_credit_balance'),
  'credits.exhausted': managers(HEALTH, 'svc_get_credit_balance'),
  'import.completed': { audience: 'doer', channels: READ, nextTool: 'svc_get_import_progress' },
  'automation.failed': managers(HEALTH, 'svc_get_automation_jobs'),
  // Those whom its automation names are told by the run itself (send-report.ts).
  'report.ready': managers(HEALTH, 'svc_get_workspace_metrics'),
  'split.winner_ready': managers(READ, 'svc_get_split_results'),
  'integration.error': { audience: 'member', channels: HEALTH, nextTool: 'svc_list_integrations' },
  'key.created': urgent('svc_list_api_keys', 'doer_and_managers'),
  'key.revoked': urgent('svc_list_api_keys', 'doer_and_managers'),
  'member.joined': urgent('svc_list_members'),
};
