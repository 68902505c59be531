import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse, stringify } from 'yaml';
import { createDeliveryMetrics } from '../../../pkg/metrics/delivery-metrics.ts';
import { createExecutorMetrics } from '../../../pkg/metrics/executor-metrics.ts';
import { createKubeMetrics } from '../../../pkg/metrics/kube-metrics.ts';
import { createMcpMetrics } from '../../../pkg/metrics/mcp-metrics.ts';
import { createOperatorMetrics } from '../../../pkg/metrics/operator-metrics.ts';
import { createProcessMetrics } from '../../../pkg/metrics/process-metrics.ts';
import { dashboardExpressions, dashboards, metricsOf, RULES, rules } from '../../tools/monitoring-files.ts';
import { prometheusPrograms, promtool } from '../../tools/prometheus.ts';
import { type Manifest, render } from '../chart/rendered.ts';

const RUNBOOKS = new URL('../../../docs/runbooks/', import.meta.url).pathname;
const UNIT_TESTS = new URL('./rules/', import.meta.url).pathname;
const HEADINGS = ['Symptom', 'What it means', 'Look here', 'Do this'];
const alerts = rules().filter((rule) => rule.alert !== undefined);
const names = [...new Set(alerts.map((rule) => rule.alert ?? ''))].sort();

function everyMetric(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const declare of [
    createProcessMetrics,
    createMcpMetrics,
    createDeliveryMetrics,
    createKubeMetrics,
    createOperatorMetrics,
    createExecutorMetrics,
  ])
    declare(registry);
  return registry;
}

/** Every name of a series that the product exports or its rules record. */
async function everySeries(): Promise<Set<string>> {
  const metrics = await everyMetric().getMetricsAsJSON();
  const series = metrics.flatMap(({ name, type }) =>
    String(type) === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  );
  return new Set([...series, ...rules().flatMap(({ record }) => (record ? [record] : []))]);
}

describe('dashboards and rules', function () {
  this.timeout(180_000);
  let tool: string | undefined;
  before(async () => {
    tool = (await prometheusPrograms())?.promtool;
  });
  const withPromtool = async (context: Mocha.Context, args: string[], input = ''): Promise<string> => {
    // No Prometheus on this machine, and its package mirror has none: install Debian's package `prometheus`.
    if (tool === undefined) return context.skip();
    const { ok, text } = await promtool(tool, args, input);
    expect(ok, text).to.equal(true);
    return text;
  };

  it('there are the seven dashboards, each with a data source to choose and text on every panel', () => {
    const files = dashboards();
    expect([...files.keys()].sort()).to.deep.equal(
      ['budgets', 'controllers', 'databases', 'executors', 'mcp', 'overview', 'tenant'].map((name) => `${name}.json`),
    );
    for (const [name, { templating, panels, uid }] of files) {
      expect(uid, name).to.equal(`outrider-${name.replace('.json', '')}`);
      expect(templating.list[0], name).to.include({ name: 'datasource', type: 'datasource', query: 'prometheus' });
      for (const panel of panels.filter(({ type }) => type !== 'row')) {
        expect(panel.description, `${name}: ${panel.title}`).to.match(/\w.*\.$/s);
        expect(panel.datasource, `${name}: ${panel.title}`).to.deep.include({ uid: '${datasource}' });
        expect(panel.targets, `${name}: ${panel.title}`).to.not.have.length(0);
      }
    }
  });

  it('every metric that a dashboard or a rule reads is exported by the product', async () => {
    const known = await everySeries();
    const expressions = [
      ...dashboardExpressions('5m'),
      ...rules().map(({ alert, record, expr }) => ({ where: alert ?? record, expr })),
    ];
    expect(expressions.length).to.be.greaterThan(100);
    for (const { where, expr } of expressions) {
      const read = metricsOf(expr);
      expect(read, `${where}: ${expr}`).to.not.have.length(0);
      for (const metric of read)
        expect(known.has(metric), `${where} reads ${metric}, which nobody exports`).to.equal(true);
    }
  });

  it('every expression of a dashboard is one that Prometheus parses', async function () {
    const all = dashboardExpressions('5m').map(({ expr }, index) => ({ record: `test:expression:${index}`, expr }));
    const folder = await mkdtemp(join(tmpdir(), 'outrider-rules-'));
    const file = join(folder, 'dashboards.yaml');
    await writeFile(file, stringify({ groups: [{ name: 'dashboards', rules: all }] }));
    await withPromtool(this, ['check', 'rules', file]).finally(() => rm(folder, { recursive: true }));
  });

  it('promtool finds nothing to say against the metrics: help, units, names', async function () {
    const text = await everyMetric().metrics();
    const ours = text
      .split(/(?=^# HELP )/m)
      .filter((part) => /^# HELP (outrider|leader|workqueue|rest_client)/.test(part));
    await withPromtool(this, ['check', 'metrics'], ours.map((part) => `${part.trim()}\n`).join(''));
  });

  it('promtool accepts the rules, and every alert fires and stays silent in its unit tests', async function () {
    const files = readdirSync(UNIT_TESTS).map((name) => join(UNIT_TESTS, name));
    const cases = files.flatMap((file) =>
      (parse(readFileSync(file, 'utf8')) as { tests: { name: string }[] }).tests.map((one) => one.name),
    );
    for (const name of names) {
      expect(
        cases.some((one) => one.startsWith(`${name} fires`)),
        `${name} fires`,
      ).to.equal(true);
      expect(
        cases.some((one) => one.startsWith(`${name} stays silent`)),
        `${name} stays silent`,
      ).to.equal(true);
    }
    await withPromtool(this, ['check', 'rules', ...readdirSync(RULES).map((name) => join(RULES, name))]);
    await withPromtool(this, ['test', 'rules', ...files]);
  });

  it('every alert says what, how bad, and where its runbook is; every runbook has an alert', () => {
    for (const { alert, labels, annotations } of alerts) {
      expect(labels?.['severity'], alert).to.be.oneOf(['critical', 'warning', 'info']);
      expect(annotations?.['summary'], alert).to.match(/\.$/);
      expect(annotations?.['description'], alert).to.match(/\.$/);
      expect(annotations?.['runbook_url'], alert).to.equal(`https://outrider.dev/docs/runbooks/${alert}.md`);
    }
    expect(readdirSync(RUNBOOKS).sort()).to.deep.equal(names.map((name) => `${name}.md`));
    for (const name of names) {
      const text = readFileSync(join(RUNBOOKS, `${name}.md`), 'utf8');
      expect(text, name).to.match(new RegExp(`^# ${name}\n`));
      expect(
        [...text.matchAll(/^## (.*)$/gm)].map((match) => match[1]),
        name,
      ).to.deep.equal(HEADINGS);
    }
  });
});

describe('monitoring of the chart', function () {
  this.timeout(60_000);
  const ON = {
    'database.existingSecret': 'pg',
    'metrics.prometheusRule.enabled': true,
    'metrics.dashboards.enabled': true,
    'metrics.serviceMonitor.enabled': true,
    'metrics.podMonitor.enabled': true,
  };
  const of = (manifests: Manifest[], kind: string): Manifest[] => manifests.filter((one) => one.kind === kind);
  const alertsIn = (manifests: Manifest[]): { alert?: string; annotations?: Record<string, string> }[] =>
    of(manifests, 'PrometheusRule').flatMap((manifest) =>
      (manifest.spec as { groups: { rules: { alert?: string }[] }[] }).groups.flatMap((group) => group.rules),
    );

  it('rules and dashboards arrive as they are in the files', async () => {
    const manifests = await render(ON);
    expect(alertsIn(manifests)).to.have.length(rules().length);
    const absent = new Map([
      ['OperatorDown', 'absent(leader_election_master_status{namespace="team",name="outrider-operator"})'],
      ['McpServerDown', 'absent(outrider_rate_limit_limit{namespace="team"})'],
    ]);
    const here = rules().map((rule) => ({ ...rule, expr: absent.get(rule.alert ?? '') ?? rule.expr }));
    expect(alertsIn(manifests)).to.deep.equal(here);
    const maps = of(manifests, 'ConfigMap').filter((one) => one.metadata.labels?.['grafana_dashboard'] === '1');
    const shown = maps.flatMap((one) => Object.values((one as unknown as { data: Record<string, string> }).data));
    expect(shown.map((text) => JSON.parse(text) as unknown)).to.deep.equal([...dashboards().values()]);
  });

  it('an installation of which nothing is left is missed, also while another one is well', async function () {
    const tool = (await prometheusPrograms())?.promtool;
    if (tool === undefined) return this.skip();
    const folder = await mkdtemp(join(tmpdir(), 'outrider-rules-'));
    const missed = { namespace: 'team', severity: 'critical', service: 'outrider' };
    const labels = { OperatorDown: { ...missed, name: 'outrider-operator' }, McpServerDown: missed };
    const groups = of(await render(ON), 'PrometheusRule').flatMap(
      (manifest) => (manifest.spec as { groups: object[] }).groups,
    );
    const series = (namespace: string, values: string): object[] => [
      { series: `leader_election_master_status{name="outrider-operator",namespace="${namespace}"}`, values },
      { series: `outrider_rate_limit_limit{category="read",namespace="${namespace}"}`, values },
    ];
    const cases = [
      { here: '1x20', fires: false },
      { here: '1x5 stale', fires: true },
    ].map(({ here, fires }) => ({
      interval: '1m',
      input_series: [...series('team', here), ...series('staging', '1x20')],
      promql_expr_test: Object.entries(labels).map(([alertname, those]) => ({
        expr: `ALERTS{alertname="${alertname}",alertstate="firing"}`,
        eval_time: '15m',
        exp_samples: fires
          ? [
              {
                labels: `ALERTS${JSON.stringify({ alertname, alertstate: 'firing', ...those }).replace(/"(\w+)":/g, '$1=')}`,
                value: 1,
              },
            ]
          : [],
      })),
    }));
    await writeFile(join(folder, 'rules.yaml'), stringify({ groups }));
    await writeFile(
      join(folder, 'test.yaml'),
      stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: cases }),
    );
    const { ok, text } = await promtool(tool, ['test', 'rules', join(folder, 'test.yaml')]).finally(() =>
      rm(folder, { recursive: true }),
    );
    expect(ok, text).to.equal(true);
  });

  it('an alert can be left out, and runbooks can live elsewhere', async () => {
    const changed = await render({
      ...ON,
      'metrics.prometheusRule.exclude': ['RedisDown'],
      'metrics.prometheusRule.runbookUrl': 'https://wiki.example.com/outrider',
    });
    const left = alertsIn(changed).filter((one) => one.alert !== undefined);
    expect(left).to.have.length(alerts.length - 1);
    expect(left.map((one) => one.alert)).to.not.include('RedisDown');
    for (const { alert, annotations } of left)
      expect(annotations?.['runbook_url']).to.equal(`https://wiki.example.com/outrider/${alert}.md`);
  });

  it('monitors set the labels that dashboards choose by', async () => {
    const manifests = await render(ON);
    const targets = [...of(manifests, 'ServiceMonitor'), ...of(manifests, 'PodMonitor')].flatMap((manifest) => {
      const spec = manifest.spec as Record<string, { relabelings: { targetLabel: string; replacement?: string }[] }[]>;
      return (spec['endpoints'] ?? spec['podMetricsEndpoints'] ?? []).flatMap((endpoint) => endpoint.relabelings);
    });
    const components = targets.filter((one) => one.targetLabel === 'component').map((one) => one.replacement);
    expect(components.sort()).to.deep.equal(['executor', 'mcp-server', 'operator']);
    expect(targets.map((one) => one.targetLabel)).to.include('workspace');
  });
});
