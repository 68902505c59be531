import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

const ENTRY = new URL('../../../cmd/operator/main.ts', import.meta.url).pathname;

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
