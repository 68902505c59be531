import { here } from '../../app/address.ts';
import { may } from '../../app/session.ts';

/** A screen, the right that it needs, and what of a notification's data names the record there. */
interface Way {
  screen: string;
  scope: string;
  record?: string;
  /** A part of the screen that has no record. */
  part?: string;
}

const CAMPAIGN: Way = { screen: 'campaigns', scope: 'campaigns:read', record: 'campaignId' };
const LEAD: Way = { screen: 'leads', scope: 'leads:read', record: 'leadId' };
const LEADS: Way = { screen: 'leads', scope: 'leads:read' };
const CONTENT: Way = { screen: 'calendar', scope: 'content:read' };
const AGENTS: Way = { screen: 'agents', scope: 'signals:read' };
const ACCOUNTS: Way = { screen: 'accounts', scope: 'accounts:read' };
const SETTINGS: Way = { screen: 'settings', scope: 'workspace:read' };
const REVIEW: Way = { screen: 'review', scope: 'workflows:read' };

/** Ways by the tool that leads on from a notification. */
const WAYS: Readonly<Record<string, Way>> = {
  svc_get_review_item: { ...REVIEW, record: 'reviewItemId' },
  svc_list_review_items: REVIEW,
  svc_list_conversations: { screen: 'inbox', scope: 'inbox:read', record: 'conversationId' },
  svc_get_lead: LEAD,
  svc_search_leads: LEADS,
  svc_get_icp_scores: LEADS,
  svc_get_import_progress: { ...LEADS, part: 'import' },
  svc_list_workflow_runs: CAMPAIGN,
  svc_get_split_results: CAMPAIGN,
  svc_get_workspace_metrics: { screen: 'campaigns', scope: 'campaigns:read' },
  svc_get_content_post: CONTENT,
  svc_get_content_analytics: CONTENT,
  svc_list_signals: AGENTS,
  svc_get_automation_jobs: AGENTS,
  svc_get_network_account_budgets: ACCOUNTS,
  svc_get_warmup_status: ACCOUNTS,
  svc_list_integrations: ACCOUNTS,
  svc_get_credit_balance: SETTINGS,
  svc_list_api_keys: { ...SETTINGS, part: 'keys' },
  svc_list_members: { ...SETTINGS, part: 'members' },
};

/** What svc_diagnose may be about, by what the data name; the first that they do. */
const DIAGNOSED: Readonly<Record<string, Way>> = {
  campaignId: CAMPAIGN,
  leadId: LEAD,
  networkAccountId: ACCOUNTS,
  providerAccountId: ACCOUNTS,
};

/** The address that leads on from a notification; undefined: no screen of the member's does. */
export function linkOf(
  nextTool: string | null | undefined,
  data: Readonly<Record<string, unknown>>,
): string | undefined {
  const [, diagnosed] = Object.entries(DIAGNOSED).find(([name]) => typeof data[name] === 'string') ?? [];
  const way = nextTool === 'svc_diagnose' ? diagnosed : WAYS[nextTool ?? ''];
  if (!way || !may(way.scope)) return undefined;
  const id = way.record === undefined ? way.part : data[way.record];
  return here.value(way.screen, typeof id === 'string' ? id : '');
}
