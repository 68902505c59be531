import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { FINALIZER } from '../../../pkg/api/kind.ts';
import { PODS } from '../../../pkg/kube/resources.ts';
import type { KubeObject } from '../../../pkg/kube/types.ts';
import { RESOURCES } from '../../../pkg/tools/resources/kinds.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

const ENTRY = new URL('../../../cmd/operator/main.ts', import.meta.url).pathname;

const CLI = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;

describe('operator process', () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startTestCluster();
  });
  afterEach(() => cluster.stop());

  const start = (env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [ENTRY], {
      env: {
        DATABASE_URL: cluster.databaseUrl,
        KUBECONFIG_PATH: cluster.api.kubeconfigPath,
        METRICS_PORT: '0',
        EXECUTOR_IMAGE: 'cmd/executor',
        OUTRIDER_PARENT_PIPE: '1',
        LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const lines = createInterface({ input: child.stdout });
    const ready = once(lines, 'line').then(
      ([line]) => JSON.parse(String(line)) as { ready: boolean; metricsUrl: string },
    );
    return { child, ready };
  };

  it('says when it is ready, serves metrics and probes, leads, and ends when its parent goes', async () => {
    const { child, ready } = start();
    const { metricsUrl } = await ready;
    const base = metricsUrl.replace(/\/metrics$/, '');
    expect((await fetch(`${base}/livez`)).status).to.equal(200);
    expect((await fetch(`${base}/readyz`)).status).to.equal(200);
    await eventually('leading', async () =>
      (await (await fetch(metricsUrl)).text()).includes('leader_election_master_status{name="outrider-operator"} 1'),
    );
    const text = await (await fetch(metricsUrl)).text();
    for (const name of [
      'controller_runtime_reconcile_total',
      'workqueue_depth',
      'outrider_executors',
      'outrider_resources',
      'process_cpu_seconds_total',
    ]) {
      expect(text, name).to.include(name);
    }
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect(code).to.equal(0);
  });

  it('outrider detach ends the executors and releases all objects, and deletes none of them', async () => {
    await cluster.node();
    const workspace = {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Workspace',
      metadata: { name: 'acme', namespace: 'outrider', finalizers: [FINALIZER, 'example.com/other'] },
      spec: { displayName: 'Acme', owner: 'o@acme.example' },
    };
    await cluster.client.create(RESOURCES.Workspace, workspace, { fieldManager: 'test' });
    const pod = (name: string, component: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'outrider',
        labels: { 'app.kubernetes.io/name': 'outrider', 'app.kubernetes.io/component': component },
      },
      spec: { nodeName: 'here', containers: [{ name: 'c', image: 'i' }] },
    });
    for (const one of [pod('ex-1', 'executor'), pod('ex-accounts', 'executor'), pod('mcp', 'mcp-server')]) {
      await cluster.client.create(PODS, one as KubeObject, { fieldManager: 'test' });
    }
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'detach'], {
      env: { KUBECONFIG_PATH: cluster.api.kubeconfigPath, OUTRIDER_NAMESPACE: 'outrider', LOG_LEVEL: 'silent' },
      timeout: 25_000,
    });
    expect(stdout).to.equal('1 objects released.\n');
    expect((await cluster.list('pods')).map(({ metadata }) => metadata.name)).to.deep.equal(['mcp']);
    expect((await cluster.object('workspaces/outrider/acme'))?.metadata.finalizers).to.deep.equal([
      'example.com/other',
    ]);
  });

  it('outrider detach stops who would put the finalizers back, the MCP server too, before it takes them', async () => {
    await cluster.client.create(
      RESOURCES.Workspace,
      {
        apiVersion: 'outrider.dev/v1alpha1',
        kind: 'Workspace',
        metadata: { name: 'held', namespace: 'outrider', finalizers: [FINALIZER] },
        spec: { displayName: 'Held', owner: 'o@acme.example' },
      } as KubeObject,
      { fieldManager: 'test' },
    );
    const from = cluster.api.writes.length;
    await promisify(execFile)(process.execPath, [CLI, 'detach'], {
      env: {
        KUBECONFIG_PATH: cluster.api.kubeconfigPath,
        OUTRIDER_NAMESPACE: 'outrider',
        OPERATOR_DEPLOYMENT: 'outrider-operator',
        MCP_DEPLOYMENT: 'outrider-mcp-server',
        LOG_LEVEL: 'silent',
      },
      timeout: 25_000,
    });
    const deployments = '/apis/apps/v1/namespaces/outrider/deployments';
    expect(cluster.api.writes.slice(from).map((write) => write.replace(/workspaces\/.*/, 'workspaces'))).to.deep.equal([
      `PATCH ${deployments}/outrider-mcp-server/scale`,
      `PATCH ${deployments}/outrider-operator/scale`,
      'PATCH /apis/outrider.dev/v1alpha1/namespaces/outrider/workspaces',
    ]);
  });

  it('outrider detach lets a release go whose operator was removed by hand', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'detach'], {
      env: {
        KUBECONFIG_PATH: cluster.api.kubeconfigPath,
        OUTRIDER_NAMESPACE: 'outrider',
        OPERATOR_DEPLOYMENT: 'outrider-operator',
        LOG_LEVEL: 'silent',
      },
      timeout: 25_000,
    });
    expect(stdout).to.match(/^\d+ objects released\.\n$/);
  });

  it('refuses wrong settings by name and without their values', async () => {
    const { child, ready } = start({ METRICS_PORT: 'many', EXECUTOR_ENV_JSON: 'secret-value' });
    ready.catch(() => undefined);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const [code] = await once(child, 'exit');
    expect(code).to.equal(1);
    expect(said).to.include('METRICS_PORT').and.include('EXECUTOR_ENV_JSON').and.not.include('secret-value');
  });
});
