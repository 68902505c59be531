import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { provenErrors } from '../integration/tools/errors/all-errors.ts';
import { NEVER } from '../integration/tools/errors/error-row.ts';
import { CATALOG } from './catalog.ts';

/** Tools that are proven in a file whose tests are named after what they prove. A new tool has a `describe('svc_…')`. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  svc_get_import_progress: 'import.test.ts',
  svc_list_conversations: 'inbox/list-conversations.test.ts',
  svc_list_messages: 'inbox/list-conversations.test.ts',
  svc_admin_link_account: 'admin/link-account.test.ts',
  svc_admin_create_workspace: 'admin/workspace-made-again.test.ts',
  svc_admin_adjust_credits: 'admin/waiting-runs.test.ts',
  svc_admin_set_send_freeze: 'admin/waiting-runs.test.ts',
  svc_admin_list_dead_letters: 'search-diagnostics/diagnose.test.ts',
  svc_admin_resolve_dead_letter: 'search-diagnostics/diagnose.test.ts',
  svc_admin_list_workspaces: 'workspace/workspace.test.ts',
};

const root = new URL('../../', import.meta.url).pathname;
const proven = new Set(
  globSync('test/integration/tools/**/*.test.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/describe\(\s*'(svc_[a-z_]+)'/g)].map(([, name]) => name ?? ''),
  ),
);
const built = ALL_TOOLS.map((tool): string => tool.name);

describe('contract: every tool is proven by use', () => {
  it('each tool has an integration test named after it, or one that calls it', () => {
    const missing = built.filter((name) => !proven.has(name) && NAMED_OTHERWISE[name] === undefined);
    expect(missing, `describe('svc_…') under test/integration/tools`).to.deep.equal([]);
    for (const [name, file] of Object.entries(NAMED_OTHERWISE))
      expect(readFileSync(`${root}test/integration/tools/${file}`, 'utf8'), file).to.contain(`'${name}'`);
  });

  it('each error of its catalog entry is met by a test, or stands in NEVER with the reason', () => {
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
