import { UserError } from '../base/errors.ts';

/** Record types with their label and the tool that lists them. Source: catalog `recordTypes`. */
const RECORD_TYPES = {
  campaign: ['Campaign', 'svc_list_campaigns'],
  persona: ['Persona', 'svc_list_personas'],
  phase: ['Phase', 'svc_list_phases'],
  lead: ['Lead', 'svc_search_leads'],
  leadList: ['Lead list', 'svc_list_lead_lists'],
  company: ['Company', 'svc_search_companies'],
  icp: ['ICP', 'svc_list_icps'],
  workflow: ['Workflow', 'svc_list_workflows'],
  workflowNode: ['Workflow node', 'svc_get_workflow'],
  workflowRun: ['Workflow run', 'svc_list_workflow_runs'],
  reviewItem: ['Review item', 'svc_list_review_items'],
  contentPost: ['Content post', 'svc_list_content_posts'],
  signal: ['Signal', 'svc_list_signals'],
  signalAgent: ['Signal agent', 'svc_list_signal_agents'],
  signalExclusion: ['Exclusion', 'svc_list_signal_exclusions'],
  competitorWatch: ['Competitor watch', 'svc_list_competitor_watches'],
  searchWatch: ['Search watch', 'svc_list_search_watches'],
  splitNode: ['Split node', 'svc_get_workflow'],
  conversation: ['Conversation', 'svc_list_conversations'],
  networkAccount: ['Network account', 'svc_list_network_accounts'],
  providerAccount: ['Provider account', 'svc_list_provider_accounts'],
  calendarEvent: ['Calendar event', 'svc_list_calendar_events'],
  integration: ['Integration', 'svc_list_integrations'],
  delivery: ['Delivery', 'svc_list_integrations'],
  providerList: ['Provider list', 'svc_list_provider_lists'],
  automation: ['Automation', 'svc_list_automations'],
  action: ['Action', 'svc_get_automation_jobs'],
  webhookTemplate: ['Webhook template', 'svc_list_webhook_templates'],
  notification: ['Notification', 'svc_list_notifications'],
  import: ['Import', 'svc_get_import_progress'],
  enrichmentJob: ['Enrichment job', 'svc_get_enrichment_status'],
  member: ['Member', 'svc_list_members'],
  invitation: ['Invitation', 'svc_list_invitations'],
  apiKey: ['API key', 'svc_list_api_keys'],
  adminWorkspace: ['Workspace', 'svc_admin_list_workspaces'],
  deadLetter: ['Dead letter', 'svc_admin_list_dead_letters'],
} as const;

export type RecordType = keyof typeof RECORD_TYPES;

/** Id parameters that are not named after their record type. */
const PARAMS: Readonly<Record<string, RecordType | `svc_${string}`>> = {
  run: 'workflowRun',
  node: 'workflowNode',
  afterNode: 'workflowNode',
  sampleLead: 'lead',
  event: 'calendarEvent',
  target: 'svc_search',
  workspace: 'svc_whoami',
  targetWorkspace: 'svc_whoami',
  account: 'networkAccount',
  user: 'svc_admin_list_users',
  actor: 'svc_admin_list_users',
};

/** The tool that finds ids for a parameter such as `leadId` or `runIds`; undefined where nothing lists them. */
export function listToolOf(param: string): string | undefined {
  const stem = param.replace(/Ids?$/, '');
  const type = PARAMS[stem] ?? stem;
  if (type.startsWith('svc_')) return type;
  return RECORD_TYPES[type as RecordType]?.[1];
}

/** `<Record type> "<id>" was not found. Call <list tool> to find valid IDs.` Also for foreign ids: they can't be probed. */
export function notFound(type: RecordType, id: string): UserError {
  const [label, listTool] = RECORD_TYPES[type];
  return new UserError(`${label} "${shorten(id)}" was not found. Call ${listTool} to find valid IDs.`, 'NotFound');
}

/** `Invalid input: <path>: <cause>` */
export function invalidInput(path: string, cause: string): UserError {
  return new UserError(`Invalid input: ${path}: ${cause}`, 'InvalidInput');
}

/** The record's state does not allow the call. @param nextTool the tool that changes or shows the state */
export function wrongState(message: string, nextTool: string): UserError {
  return new UserError(`${message.replace(/\.$/, '')}. Call ${nextTool}.`, 'WrongState');
}

/** Keeps an echoed id readable and free of control characters. */
function shorten(id: string): string {
  const clean = id.replace(/[\p{Cc}\p{Cs}]/gu, '?');
  return clean.length > 100 ? `${clean.slice(0, 100)}…` : clean;
}
