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

/** Everything that happens by a schedule: automations of campaigns, and signal agents. */
export const SCHEDULE_KINDS = [...AUTOMATION_KINDS, 'signal_agent'] as const;

/** Why a kind can not do its work yet, and when it will; the others can. */
export const NOT_YET: Partial<Record<AutomationKind, string>> = {
  source_leads: 'searches of the network can not be run by a schedule yet; it will work once they can',
};
