import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { provenErrors } from '../integration/tools/errors/all-errors.ts';
import { NEVER } from '../integration/tools/errors/error-row.ts';
import { CATALOG } from './catalog.ts';

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

  it('each error of their catalog entries is met by a test, or stands in NEVER with the reason', () => {
    const known = CATALOG.tools
      .filter((entry) => built.includes(entry.name))
      .flatMap(({ name, errors = [] }) =>
        errors.map((one) => `${name}: ${one.recordType ? `not found ${one.recordType}` : one.condition}`),
      );
    const proven = provenErrors();
    expect(
      known.filter((error) => !proven.has(error)),
      'add a row to test/integration/tools/errors',
    ).to.deep.equal([]);
    const stale = [...proven].filter((error) => !known.includes(error) && built.includes(error.split(':')[0] ?? ''));
    expect(stale, 'rows of errors that the catalog does not have').to.deep.equal([]);
    console.log(`      ${known.length} errors of ${built.length} tools; ${NEVER.length} that no call can meet yet:`);
    for (const { tool, error, because } of NEVER) console.log(`        ${tool}: ${error} (${because})`);
  });
});
