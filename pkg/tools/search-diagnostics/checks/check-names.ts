const WHOLE_WORKSPACE = [
  'workspace_running',
  'send_freeze',
  'accounts_linked',
  'accounts_healthy',
  'executor',
] as const;

/** What a workflow's leads may wait for that somebody can do something about; other waits pass by themselves. */
export const BLOCKING_WAITS = [
  'budget',
  'account_unhealthy',
  'review',
  'credits',
  'send_freeze',
  'unknown_outcome',
] as const;
export type BlockingWait = (typeof BLOCKING_WAITS)[number];

/** Checks of `svc_diagnose` that may fail, by target. Each has a story in `test/fixtures/tools/diagnose-stories/`. */
export const CHECKS = {
  workspace: [
    ...WHOLE_WORKSPACE,
    'leads_present',
    'workflows_present',
    'workflows_enabled',
    'holds',
    'reviews',
    'dead_letters',
    'credits',
  ],
  workflow: [
    'graph_valid',
    'enabled',
    'hold',
    'campaign_active',
    'leads_qualify',
    ...WHOLE_WORKSPACE,
    ...BLOCKING_WAITS.map((wait) => `waiting_${wait}` as const),
  ],
  lead: [
    'not_erased',
    'not_suppressed',
    'profile_known',
    'not_claimed',
    'scored',
    'enrolled',
    'send_freeze',
    'run',
    'enriched',
  ],
  network_account: [
    'account_status',
    'account_paused',
    'provider',
    'send_freeze',
    'compared',
    'rehearsal',
    'cooldown',
    'health',
  ],
  provider_account: ['account_status', 'account_paused', 'send_freeze', 'rehearsal', 'cooldown', 'health'],
  automation: ['automation_workspace', 'automation_enabled', 'automation_runs'],
  action: ['action', 'action_workspace', 'action_campaign', 'action_account'],
  signal_agent: ['agent_workflow', 'agent_active', 'agent_sources', 'agent_criteria'],
  competitor_watch: ['watch_active'],
  content_post: ['post', 'post_workspace', 'post_account'],
  integration: ['credentials', 'deliveries', 'used', 'send_freeze'],
} as const satisfies Record<string, readonly string[]>;

/** A check that may fail. */
export type CheckName = (typeof CHECKS)[keyof typeof CHECKS][number];

/** A check of a target that may fail, as `<target>: <check>`. */
export type TargetCheck = { [T in keyof typeof CHECKS]: `${T}: ${(typeof CHECKS)[T][number]}` }[keyof typeof CHECKS];

/** A check that never fails: it tells what is waited for. */
export type WaitName =
  | 'budget'
  | 'agent_criteria'
  | 'automation_runs'
  | 'compared'
  | 'watch_active'
  | 'watch_checks'
  | `waiting_${string}`;

/** Whether a check of a workflow is one of the whole workspace. */
export function stopsWorkspace(check: string): boolean {
  return (WHOLE_WORKSPACE as readonly string[]).includes(check);
}
