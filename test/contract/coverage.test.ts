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

const root = new URL('../../', import.meta.url).pathname;
const proven = new Set(
  globSync('test/integration/tools/**/*.test.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/describe\(\s*'(svc_[a-z_]+)'/g)].map(([, name]) => name ?? ''),
  ),
);
const built = ALL_TOOLS.filter((tool) => DOMAINS.includes(tool.domain)).map((tool): string => tool.name);

describe('contract: every tool is proven by use', () => {
  it('each tool of the campaign core has an integration test named after it', () => {
    const missing = built.filter((name) => !proven.has(name));
    expect(missing, `describe('svc_…') under test/integration/tools`).to.deep.equal([]);
  });
});
