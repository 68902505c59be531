import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { BUDGETS } from './monitoring/budgets.ts';
import { CONTROLLERS } from './monitoring/controllers.ts';
import { dashboardJson } from './monitoring/dashboard.ts';
import { DATABASES } from './monitoring/databases.ts';
import { EXECUTORS } from './monitoring/executors.ts';
import { MCP } from './monitoring/mcp.ts';
import { OVERVIEW } from './monitoring/overview.ts';
import { sloGroups } from './monitoring/slo.ts';
import { TENANT } from './monitoring/tenant.ts';

/** Writes the chart's dashboards and the rules of the service levels; `--check` fails when they are not up to date. */
const FILES = new URL('../../charts/outrider/files/', import.meta.url).pathname;
const DASHBOARDS = [OVERVIEW, MCP, CONTROLLERS, EXECUTORS, TENANT, BUDGETS, DATABASES];
const check = process.argv.includes('--check');

const written = new Map<string, string>();
for (const dashboard of DASHBOARDS)
  written.set(`dashboards/${dashboard.name}.json`, `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`);
written.set(
  'rules/slo.yaml',
  `# Written by \`make generate\` from cmd/generate/monitoring/slo.ts.\n${stringify({ groups: sloGroups() }, { lineWidth: 0 })}`,
);

const strays = readdirSync(`${FILES}dashboards`).filter((name) => !written.has(`dashboards/${name}`));
const stale = [...written].filter(([name, text]) => readText(name) !== text).map(([name]) => name);
if (check && stale.length + strays.length > 0) {
  console.error(`charts/outrider/files: ${[...stale, ...strays].join(', ')} not up to date. Run: make generate`);
  process.exit(1);
}
if (!check) {
  for (const name of strays) rmSync(`${FILES}dashboards/${name}`);
  for (const name of stale) writeFileSync(`${FILES}${name}`, written.get(name) ?? '');
}

function readText(name: string): string | undefined {
  try {
    return readFileSync(`${FILES}${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
