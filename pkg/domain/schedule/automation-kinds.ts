/** What an automation of a campaign can do. Source: catalog `automationKinds`. */
export const AUTOMATION_KINDS = [
  'source_leads',
  'rescore_leads',
  'refresh_query_lists',
  'enrich_new_leads',
  'withdraw_stale_requests',
  'sync_crm',
  'send_report',
] as const;

export type AutomationKind = (typeof AUTOMATION_KINDS)[number];

/** Everything that happens by a schedule: automations of campaigns, signal agents and their answers, watches, and looks at posts. */
export const SCHEDULE_KINDS = [
  ...AUTOMATION_KINDS,
  'signal_agent',
  'agent_reply',
  'competitor_watch',
  'search_watch',
  'content_looks',
] as const;
