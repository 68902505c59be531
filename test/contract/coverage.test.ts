import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';

/** Domains of the campaign core: each of their tools is proven by use, through a real MCP client. */
const DOMAINS = [
  'Campaigns',
  'Personas & Phases',
  'Leads',
  'Lead Lists',
  'Companies',
  'ICPs',
  'Workflows',
  'Workflow Execution',
  'Workflow Nodes',
  'Workflow Review',
  'Split Optimization',
  'Network Accounts',
  'Signals',
  'Workspace',
  'Metrics & Billing',
  'Search & Diagnostics',
];

/** Tools whose test is still to be written; it only shrinks. */
const WITHOUT: readonly string[] = [
  'svc_approve_review_item',
  'svc_bulk_decide_review_items',
  'svc_control_workflow_runs',
  'svc_diagnose',
  'svc_edit_review_item',
  'svc_get_network_account',
  'svc_get_network_account_budgets',
  'svc_get_review_item',
  'svc_get_workflow_run',
  'svc_get_workflow_stats',
  'svc_list_leads_at_node',
  'svc_list_network_accounts',
  'svc_list_review_items',
  'svc_list_workflow_runs',
  'svc_reject_review_item',
  'svc_search',
  'svc_submit_feedback',
  'svc_trigger_workflow',
  'svc_whoami',
];

const root = new URL('../../', import.meta.url).pathname;
const proven = new Set(
  globSync('test/integration/tools/**/*.test.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/describe\(\s*'(svc_[a-z_]+)'/g)].map(([, name]) => name ?? ''),
  ),
);
const built = ALL_TOOLS.filter((tool) => DOMAINS.includes(tool.domain)).map((tool): string => tool.name);

describe('contract: every tool is proven by use', () => {
  it('each tool of the campaign core has an integration test named after it', () => {
    const missing = built.filter((name) => !proven.has(name) && !WITHOUT.includes(name));
    expect(missing, `describe('svc_…') under test/integration/tools`).to.deep.equal([]);
  });
});
