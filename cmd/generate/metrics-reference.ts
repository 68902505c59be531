import { Registry } from 'prom-client';
import { createDeliveryMetrics } from '../../pkg/metrics/delivery-metrics.ts';
import { createEnrichmentMetrics } from '../../pkg/metrics/enrichment-metrics.ts';
import { createExecutorMetrics } from '../../pkg/metrics/executor-metrics.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { createMailMetrics } from '../../pkg/metrics/mail-metrics.ts';
import { createMcpMetrics } from '../../pkg/metrics/mcp-metrics.ts';
import { createOperatorMetrics } from '../../pkg/metrics/operator-metrics.ts';
import { createPeriodicMetrics } from '../../pkg/metrics/periodic-metrics.ts';
import { createProcessMetrics } from '../../pkg/metrics/process-metrics.ts';
import { keepFile } from './keep-file.ts';

/** Writes docs/metrics.md from the declarations; `--check` fails when it is not up to date. */
const PARTS: [string, (registry: Registry) => unknown][] = [
  ['Every process', createProcessMetrics],
  [
    'MCP server',
    (registry) => [
      createMcpMetrics(registry),
      createPeriodicMetrics(registry),
      createMailMetrics(registry),
      createDeliveryMetrics(registry),
      createEnrichmentMetrics(registry),
    ],
  ],
  ['Operator', (registry) => [createKubeMetrics(registry), createOperatorMetrics(registry)]],
  ['Executors', createExecutorMetrics],
];

async function tableOf(create: (registry: Registry) => unknown): Promise<string> {
  const registry = new Registry();
  create(registry);
  const metrics = (await registry.getMetricsAsJSON()).sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = metrics.map(
    (metric) => `| \`${metric.name}\` | ${metric.type} | ${metric.help.replaceAll('|', '\\|')} |`,
  );
  return ['| metric | type | what |', '|---|---|---|', ...rows].join('\n');
}

const sections = await Promise.all(PARTS.map(async ([name, create]) => `## ${name}\n\n${await tableOf(create)}\n`));
const text = `# Metrics\n\nGenerated from the declarations by \`make generate\`. Every process also exports the default process and Node.js\nmetrics.\n\n${sections.join('\n')}`;
keepFile('docs/metrics.md', text);
