/**
 * One example call per tool, in an order in which they work: a test runs them all. `$name` stands for what an earlier
 * example kept, or for what the stage has: an account, a member, a signal, drafts.
 */
export interface ToolExample {
  tool: string;
  input: object;
  /** Name -> path in the result, for later examples. */
  keep?: Readonly<Record<string, string>>;
  /** Needs the key of the workspace's owner. */
  owner?: true;
  /** Needs the key of a platform admin. */
  admin?: true;
}

const GRAPH = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual' },
    { nodeId: 'look', nodeType: 'network:profile_view', label: 'Look' },
    {
      nodeId: 'pause',
      nodeType: 'flow:wait',
      label: 'Pause',
      config: { waitType: 'duration', durationMs: 86_400_000 },
    },
    {
      nodeId: 'opener',
      nodeType: 'flow:split',
      label: 'Opener',
      config: { branches: [{ name: 'a' }, { name: 'b' }], mode: 'bandit' },
    },
    { nodeId: 'done', nodeType: 'flow:end', label: 'Done' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3 },
    { sourceIndex: 3, targetIndex: 4, branch: 'a' },
    { sourceIndex: 3, targetIndex: 4, branch: 'b' },
  ],
};

const CSV =
  'First name,Last name,Email,Title,Company,Company domain,LinkedIn\n' +
  'Ada,Lane,ada@acorn.example,CTO,Acorn Labs,acorn.example,https://www.linkedin.com/in/ada-lane\n' +
  'Bo,Marsh,bo@birch.example,Head of Sales,Birch Foods,birch.example,https://www.linkedin.com/in/bo-marsh\n';

const plan: ToolExample[] = [
  { tool: 'svc_whoami', input: {} },
  { tool: 'svc_get_workspace', input: {} },
  {
    tool: 'svc_create_campaign',
    input: { title: 'Q2 founders', goal: 'Ten talks' },
    keep: { campaignId: 'campaignId' },
  },
  { tool: 'svc_list_campaigns', input: { limit: 10 } },
  { tool: 'svc_get_campaign', input: { campaignId: '$campaignId' } },
  { tool: 'svc_update_campaign', input: { campaignId: '$campaignId', scoreMin: 40, reviewMode: 'first_touch' } },
  {
    tool: 'svc_create_icp',
    input: { campaignId: '$campaignId', titles: ['CTO', 'Head of Sales'], companySizes: ['11-50'] },
    keep: { icpId: 'icpId' },
  },
  { tool: 'svc_list_icps', input: { campaignId: '$campaignId' } },
  { tool: 'svc_update_icp', input: { icpId: '$icpId', keywords: ['robotics'] } },
  {
    tool: 'svc_create_persona',
    input: { campaignId: '$campaignId', name: 'Technical founder', painPoints: ['hiring'] },
    keep: { personaId: 'personaId' },
  },
  { tool: 'svc_list_personas', input: { campaignId: '$campaignId' } },
  { tool: 'svc_get_persona', input: { personaId: '$personaId' } },
  { tool: 'svc_update_persona', input: { personaId: '$personaId', goals: ['ship faster'] } },
  {
    tool: 'svc_create_phase',
    input: { campaignId: '$campaignId', name: 'Warm up', phaseType: 'outreach' },
    keep: { phaseId: 'phaseId' },
  },
  { tool: 'svc_list_phases', input: { campaignId: '$campaignId' } },
  { tool: 'svc_get_phase', input: { phaseId: '$phaseId' } },
  { tool: 'svc_update_phase', input: { phaseId: '$phaseId', objectives: ['be known'] } },
  {
    tool: 'svc_create_lead_list',
    input: { name: 'Founders', campaignId: '$campaignId' },
    keep: { leadListId: 'leadListId' },
  },
];

const people: ToolExample[] = [
  {
    tool: 'svc_import_leads_csv',
    input: { csv: CSV, leadListId: '$leadListId', tags: ['fair'] },
    keep: { importId: 'importId' },
  },
  {
    tool: 'svc_search_leads',
    input: { titles: ['CTO'], leadListId: '$leadListId' },
    keep: { leadId: 'leads.0.leadId', companyId: 'leads.0.companyId' },
  },
  { tool: 'svc_get_lead', input: { leadId: '$leadId' } },
  {
    tool: 'svc_upsert_lead',
    input: { email: 'cy@cedar.example', firstName: 'Cy', company: 'Cedar', note: 'Met at the fair' },
    keep: { otherLeadId: 'leadId' },
  },
  {
    tool: 'svc_queue_leads',
    input: { profileUrls: ['https://www.linkedin.com/in/dana-north'], leadListId: '$leadListId' },
  },
  { tool: 'svc_build_search_url', input: { titles: ['CTO'], locations: ['Berlin'], searchType: 'people' } },
  { tool: 'svc_list_lead_lists', input: { type: 'static' } },
  { tool: 'svc_get_lead_list', input: { leadListId: '$leadListId' } },
  { tool: 'svc_create_query_lead_list', input: { name: 'With an address', predicate: { hasEmail: true } } },
  { tool: 'svc_add_leads_to_list', input: { leadListId: '$leadListId', leadIds: ['$otherLeadId'] } },
  { tool: 'svc_remove_leads_from_list', input: { leadListId: '$leadListId', leadIds: ['$otherLeadId'] } },
  { tool: 'svc_update_lead_list', input: { leadListId: '$leadListId', description: 'From the fair' } },
  { tool: 'svc_search_companies', input: { query: 'Acorn' } },
  { tool: 'svc_get_company', input: { companyId: '$companyId' } },
  { tool: 'svc_list_company_leads', input: { companyId: '$companyId' } },
  { tool: 'svc_trigger_icp_scoring', input: { icpId: '$icpId' } },
  { tool: 'svc_get_icp_scores', input: { icpId: '$icpId', minTotal: 10 } },
  { tool: 'svc_list_signals', input: { campaignId: '$campaignId', types: ['job_change'] } },
  { tool: 'svc_get_signal', input: { signalId: '$signalId' } },
  { tool: 'svc_get_signal_weights', input: { campaignId: '$campaignId' } },
  {
    tool: 'svc_update_signal_weights',
    input: { campaignId: '$campaignId', weights: [{ type: 'job_change', points: 20 }] },
  },
];

const sending: ToolExample[] = [
  { tool: 'svc_list_network_accounts', input: { status: 'ok' } },
  { tool: 'svc_get_network_account', input: { networkAccountId: '$networkAccountId' } },
  { tool: 'svc_get_network_account_health', input: { networkAccountId: '$networkAccountId' } },
  {
    tool: 'svc_update_network_account_settings',
    input: { networkAccountId: '$networkAccountId', dailyLimits: { message: 20 }, pacing: { minGapSeconds: 180 } },
  },
  { tool: 'svc_get_network_account_budgets', input: { networkAccountId: '$networkAccountId' } },
  { tool: 'svc_export_network_connections', input: { networkAccountId: '$networkAccountId' } },
  { tool: 'svc_get_import_progress', input: { importId: '$importId' } },
  { tool: 'svc_get_workflow_node_types', input: {} },
  { tool: 'svc_validate_workflow', input: { campaignId: '$campaignId', graph: GRAPH } },
  {
    tool: 'svc_create_workflow',
    input: { campaignId: '$campaignId', name: 'First touch', graph: GRAPH },
    keep: { workflowId: 'workflowId' },
  },
  { tool: 'svc_list_workflows', input: { campaignId: '$campaignId' } },
  { tool: 'svc_get_workflow', input: { workflowId: '$workflowId' } },
  {
    tool: 'svc_add_workflow_node',
    input: {
      workflowId: '$workflowId',
      nodeType: 'lead:tag',
      label: 'Mark',
      config: { add: ['seen'] },
      afterNodeId: 'look',
    },
    keep: { nodeId: 'nodeId' },
  },
  {
    tool: 'svc_update_workflow_node',
    input: { workflowId: '$workflowId', nodeId: '$nodeId', config: { add: ['looked at'] } },
  },
  { tool: 'svc_remove_workflow_node', input: { workflowId: '$workflowId', nodeId: '$nodeId' } },
  { tool: 'svc_update_workflow', input: { workflowId: '$workflowId', name: 'First contact' } },
  { tool: 'svc_update_workflow_status', input: { workflowId: '$workflowId', enabled: true } },
  {
    tool: 'svc_trigger_workflow',
    input: { workflowId: '$workflowId', leadIds: ['$leadId'] },
    keep: { runId: 'runIds.0' },
  },
  { tool: 'svc_get_workflow_stats', input: { workflowId: '$workflowId' } },
  { tool: 'svc_list_leads_at_node', input: { workflowId: '$workflowId', nodeId: 'look' } },
  { tool: 'svc_list_workflow_runs', input: { workflowId: '$workflowId', state: 'queued' } },
  { tool: 'svc_get_workflow_run', input: { runId: '$runId' } },
  { tool: 'svc_control_workflow_runs', input: { runIds: ['$runId'], action: 'pause', reason: 'on holiday' } },
  { tool: 'svc_get_split_results', input: { workflowId: '$workflowId' } },
  { tool: 'svc_update_split_optimization', input: { workflowId: '$workflowId', nodeId: 'opener', minArmShare: 0.1 } },
  {
    tool: 'svc_duplicate_workflow',
    input: { workflowId: '$workflowId', name: 'Second try' },
    keep: { copyId: 'workflowId' },
  },
  { tool: 'svc_get_campaign_stats', input: { campaignId: '$campaignId', granularity: 'week' } },
  {
    tool: 'svc_duplicate_campaign',
    input: { campaignId: '$campaignId', title: 'Q3 founders' },
    keep: { nextCampaignId: 'campaignId' },
  },
];

const office: ToolExample[] = [
  { tool: 'svc_get_playbook', input: { campaignId: '$campaignId' } },
  { tool: 'svc_regenerate_playbook', input: { website: 'https://acorn.example', instructions: 'Plain and short' } },
  { tool: 'svc_update_workspace', input: { timezone: 'Europe/Berlin', defaultReviewMode: 'ai_only' } },
  { tool: 'svc_get_credit_balance', input: {} },
  { tool: 'svc_list_credit_transactions', input: { kind: 'settle' } },
  { tool: 'svc_get_credit_costs', input: {} },
  {
    tool: 'svc_get_workspace_metrics',
    input: { fromDate: '2026-02-01T00:00:00Z', toDate: '2026-03-01T00:00:00Z', groupBy: 'campaign' },
  },
  { tool: 'svc_list_members', input: {} },
  {
    tool: 'svc_update_member_role',
    input: { workspaceId: '$workspaceId', memberId: '$memberId', role: 'reviewer' },
    owner: true,
  },
  {
    tool: 'svc_create_invitation',
    input: { workspaceId: '$workspaceId', email: 'new@acorn.example', role: 'member' },
    keep: { invitationId: 'invitationId' },
    owner: true,
  },
  { tool: 'svc_list_invitations', input: {} },
  { tool: 'svc_revoke_invitation', input: { invitationId: '$invitationId' }, owner: true },
  { tool: 'svc_remove_member', input: { workspaceId: '$workspaceId', memberId: '$memberId' }, owner: true },
  {
    tool: 'svc_create_api_key',
    input: { workspaceId: '$workspaceId', name: 'Reports', scopes: ['campaigns:read'] },
    keep: { apiKeyId: 'apiKeyId' },
    owner: true,
  },
  { tool: 'svc_list_api_keys', input: {} },
  { tool: 'svc_revoke_api_key', input: { apiKeyId: '$apiKeyId' } },
  { tool: 'svc_search', input: { query: 'founders', types: ['campaign'] } },
  { tool: 'svc_diagnose', input: { target: 'workflow', targetId: '$workflowId' } },
  { tool: 'svc_submit_feedback', input: { category: 'feature_request', message: 'A weekly report by mail' } },
  { tool: 'svc_delete_persona', input: { personaId: '$personaId' } },
  { tool: 'svc_delete_phase', input: { phaseId: '$phaseId' } },
  { tool: 'svc_delete_workflow', input: { workflowId: '$copyId' } },
  { tool: 'svc_delete_campaign', input: { campaignId: '$nextCampaignId', confirmTitle: 'Q3 founders' } },
  { tool: 'svc_delete_icp', input: { icpId: '$icpId' } },
  { tool: 'svc_delete_lead_list', input: { leadListId: '$leadListId' } },
  { tool: 'svc_erase_lead', input: { leadId: '$otherLeadId', reason: 'data_subject_request' } },
];

const reviews: ToolExample[] = [
  { tool: 'svc_list_review_items', input: { state: 'pending' } },
  { tool: 'svc_get_review_item', input: { reviewItemId: '$draft1' } },
  { tool: 'svc_approve_review_item', input: { reviewItemId: '$draft1', expectedVersion: 1 } },
  { tool: 'svc_edit_review_item', input: { reviewItemId: '$draft2', body: 'Hello, a shorter text.' } },
  { tool: 'svc_reject_review_item', input: { reviewItemId: '$draft3', reason: 'Too pushy' } },
  { tool: 'svc_bulk_decide_review_items', input: { reviewItemIds: ['$draft4', '$draft5'], decision: 'approve' } },
];

const outside: ToolExample[] = [
  { tool: 'svc_connect_integration', input: { provider: 'webhook', url: '$webhookUrl', name: 'Our CRM' } },
  { tool: 'svc_list_integrations', input: {} },
];

const platform: ToolExample[] = [
  {
    tool: 'svc_admin_create_workspace',
    input: { name: 'Acorn Labs', ownerEmail: 'owner@acorn.example', initialCredits: 50 },
    admin: true,
  },
  {
    tool: 'svc_admin_adjust_credits',
    input: { workspaceId: '$workspaceId', amount: 100, reason: 'Bought', idempotencyKey: 'invoice-4711' },
    admin: true,
  },
  {
    tool: 'svc_admin_link_account',
    input: { action: 'register', accountKind: 'network', workspaceId: '$workspaceId', displayName: 'Ada Lane' },
    admin: true,
  },
];

export const TOOL_EXAMPLES: readonly ToolExample[] = [
  ...plan,
  ...people,
  ...sending,
  ...reviews,
  ...outside,
  ...office,
  ...platform,
];
