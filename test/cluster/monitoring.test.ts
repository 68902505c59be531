import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { dashboardExpressions, rules, selectorsOf } from '../tools/monitoring-files.ts';
import { prometheusPrograms, startPrometheus, type TestPrometheus } from '../tools/prometheus.ts';
import { scaledRules } from '../tools/scaled-rules.ts';
import type { Cluster } from './cluster.ts';
import { fixture } from './cluster-fixture.ts';
import { monitoredPods } from './monitored-pods.ts';
import { eventually, minutes } from './patient.ts';
import { API, executorOf, makeTeam, type Team, workspaceOf } from './people.ts';
import { causeRareSeries, repairRareSeries } from './rare-series.ts';
import type { Release } from './release.ts';

/** The API server refuses a request with 429 only where several compete for its last seat: not to be had at will. */
const NOT_CAUSED = /code="429"/;

/** What goes wrong, and how it is put right. */
interface Fault {
  alert: string;
  cause: () => Promise<unknown>;
  repair: () => Promise<unknown>;
}

describe('a real Prometheus looks at a real cluster', () => {
  let cluster: Cluster;
  let release: Release;
  let team: Team;
  let prometheus: TestPrometheus;
  let pods: { url: string; stop: () => void } | undefined;
  let folder = '';

  before(async function () {
    this.timeout(minutes(30));
    const programs = await prometheusPrograms();
    if (!programs) return this.skip();
    ({ cluster, release } = await fixture(this));
    pods = await monitoredPods(release, await cluster.proxy());
    const scaled = await scaledRules(`
  - job_name: outrider
    http_sd_configs: [{ url: "${pods.url}", refresh_interval: 2s }]
`);
    folder = scaled.folder;
    prometheus = await startPrometheus(programs.prometheus, scaled.config);
    team = await makeTeam(release, 'watched');
    await team.greet('Grace');
    await team.arrived(1, 120_000);
  });
  after(async () => {
    await prometheus?.stop();
    pods?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('what the monitors of the chart select is found and scraped: operators, MCP server, executors', async () => {
    await eventually(
      'all are scraped',
      async () => {
        const up = (await prometheus.targets()).filter(({ health }) => health === 'up').map((one) => one.component);
        const operators = up.filter((component) => component === 'operator').length;
        return operators === 2 && up.includes('mcp-server') && up.includes('executor');
      },
      60_000,
    );
    await eventually('an executor’s series names its workspace', async () => {
      const samples = await prometheus.query('outrider_workflow_steps_total{component="executor"}');
      return samples.some(({ metric }) => metric['workspace'] === `${release.namespace}/watched`);
    });
  });

  it('every expression of every dashboard, and every series that a rule reads, is there', async function () {
    this.timeout(minutes(10));
    const missing = new Map(
      questions(`${release.namespace}/${team.workspace}`).map(({ expr, where }) => [expr, where]),
    );
    const odd = await makeTeam(release, 'odd');
    // What is counted while Prometheus looks has a rate.
    const live = async (): Promise<void> => {
      await release.call('svc_list_campaigns', { workspaceId: 'watched' });
      await release.kubectl('annotate', 'ows/watched', `outrider.dev/looked-at=${missing.size}`, '--overwrite');
    };
    const ask = async (): Promise<boolean> => {
      for (const expr of [...missing.keys()]) {
        if (NOT_CAUSED.test(expr) || (await prometheus.query(expr)).length > 0) missing.delete(expr);
      }
      return missing.size === 0;
    };
    try {
      await causeRareSeries(release, odd);
      await team.greet('Ada');
      const seen = async (): Promise<boolean> => {
        await live();
        return ask();
      };
      await eventually('everything has been seen', seen, 90_000, 2_000).catch(() => undefined);
    } finally {
      await repairRareSeries(release, odd);
    }
    expect([...missing].map(([expr, where]) => `${where}: ${expr}`)).to.deep.equal([]);
  });

  it('alerts fire when their fault is caused on the cluster, and clear when it is repaired', async function () {
    this.timeout(minutes(10));
    for (const faults of [
      problems(release, team),
      [await down('operator', release), await down('mcp-server', release)],
    ]) {
      const waiting = new Set(faults.map(({ alert }) => alert));
      try {
        for (const { cause } of faults) await cause();
        await eventually(
          'all fire',
          async () => {
            for (const alert of await prometheus.firing()) waiting.delete(alert);
            return waiting.size === 0;
          },
          90_000,
        ).catch(() => undefined);
      } finally {
        for (const { repair } of faults) await repair();
      }
      expect([...waiting], 'did not fire').to.deep.equal([]);
      await eventually(
        'all clear',
        async () => {
          const now = await prometheus.firing();
          return faults.every(({ alert }) => !now.has(alert));
        },
        120_000,
      );
    }
  });
});

/** What dashboards and rules ask, with their variables filled in. @param workspace its key */
function questions(workspace: string): { where: string; expr: string }[] {
  const shown = dashboardExpressions('10s').map(({ where, expr }) => ({
    where,
    expr: expr.replaceAll('$workspace', workspace).replaceAll('$domain', 'Campaigns').replaceAll('[1d]', '[10s]'),
  }));
  const read = rules().flatMap(({ alert, record, expr }) => {
    const where = alert ?? record ?? '';
    return [...selectorsOf(expr), ...(record ? [record] : [])].map((selector) => ({ where, expr: selector }));
  });
  return [...shown, ...read];
}

/** Faults of single workspaces and of the platform. */
function problems(release: Release, team: Team): Fault[] {
  const wrong = {
    apiVersion: API,
    kind: 'Workflow',
    metadata: { name: 'of-no-known-type' },
    spec: {
      campaignRef: { name: team.campaign },
      name: 'wrong',
      graph: { nodes: [{ nodeType: 'network:telepathy', label: 'Think', config: {} }], edges: [] },
    },
  };
  const freeze = (frozen: boolean): Promise<unknown> =>
    release.call('svc_admin_set_send_freeze', { frozen, reason: 'test of alerts' });
  return [
    {
      alert: 'ResourceStalled',
      cause: () => release.apply(wrong),
      repair: () => release.kubectl('delete', 'owf', wrong.metadata.name, '--timeout=60s'),
    },
    { alert: 'SendsFrozen', cause: () => freeze(true), repair: () => freeze(false) },
    {
      alert: 'ExecutorNotStarting',
      cause: async () => {
        const pod = await executorOf(release, team.workspace);
        await release.apply(
          workspaceOf(team.workspace, { executor: { nodeSelector: { 'outrider.dev/nowhere': 'true' } } }),
        );
        await release.kubectl('wait', '--for=delete', `pod/${pod}`, '--timeout=90s');
        await release.sql(
          'insert into workspace_wake (workspace_id, due_at) values ($1, 1) on conflict (workspace_id) do update set due_at = 1',
          [team.workspace],
        );
      },
      repair: () => release.apply(workspaceOf(team.workspace)),
    },
  ];
}

/** A Deployment without pods. */
async function down(component: 'operator' | 'mcp-server', release: Release): Promise<Fault> {
  const deployment = `deployment/outrider-${component}`;
  const replicas = await release.kubectl('get', deployment, '-o', 'jsonpath={.spec.replicas}');
  return {
    alert: component === 'operator' ? 'OperatorDown' : 'McpServerDown',
    cause: () => release.kubectl('scale', deployment, '--replicas=0'),
    repair: async () => {
      await release.kubectl('scale', deployment, `--replicas=${replicas}`);
      await release.kubectl('rollout', 'status', deployment, '--timeout=180s');
    },
  };
}
