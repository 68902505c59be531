import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { SystemClock } from '../../pkg/base/clock.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { setUpCluster } from '../../pkg/standalone/kube-setup.ts';
import { LeaseBroker } from '../../pkg/standalone/node-agent/lease-broker.ts';
import { NodeAgent } from '../../pkg/standalone/node-agent/node-agent.ts';
import { LeaseDesk } from '../../pkg/store/leases/lease-desk.ts';
import type { Fixture } from '../fixtures/chaos/chaos-fixture.ts';
import { kill } from '../fixtures/chaos/chaos-fixture.ts';
import type { OwnCluster } from './own-cluster.ts';

const OPERATOR = new URL('../../cmd/operator/main.ts', import.meta.url).pathname;
const EXECUTOR = new URL('../../cmd/executor/main.ts', import.meta.url).pathname;
const { PATH: path = '' } = process.env;

/** A node that runs executor Pods as processes, and the operator as a process that is started again when it ends. */
export class OwnNode {
  readonly #folder: string;
  readonly #agent: NodeAgent;
  readonly #env: Record<string, string>;
  #operator: ChildProcess;
  #stopped = false;
  /** How often the operator was started. */
  starts = 0;

  private constructor(folder: string, agent: NodeAgent, env: Record<string, string>) {
    this.#folder = folder;
    this.#agent = agent;
    this.#env = env;
    this.#operator = this.#start();
  }

  static async open(
    fixture: Fixture,
    cluster: OwnCluster,
    urls: { appUrl: string; executorUrl: string },
  ): Promise<OwnNode> {
    const folder = await mkdtemp(join(tmpdir(), 'outrider-node-'));
    const log = createLogger('test', 'silent');
    await setUpCluster(cluster.client, 'outrider', urls.executorUrl);
    const runtime = {
      clock: new SystemClock(),
      random: () => 0.5,
      ids: systemIds,
      log,
      metrics: createKubeMetrics(new Registry()),
    };
    const agent = new NodeAgent({
      client: cluster.client,
      runtime,
      broker: new LeaseBroker(new LeaseDesk(fixture.app, fixture.clock), log),
      entry: EXECUTOR,
      executorUser: undefined,
      homeNamespace: 'outrider',
      logFolder: folder,
      baseEnv: { PATH: path, SANDBOX_API_KEY: 'chaos-key', OUTRIDER_CLOCK: fixture.clock.address, LOG_LEVEL: 'warn' },
    });
    await agent.start();
    return new OwnNode(folder, agent, {
      PATH: path,
      DATABASE_URL: urls.appUrl,
      KUBECONFIG_PATH: cluster.api.kubeconfigPath,
      OUTRIDER_CLOCK: fixture.clock.address,
      METRICS_PORT: '0',
      EXECUTOR_IMAGE: 'cmd/executor',
      EXECUTOR_ENV_JSON: JSON.stringify({ METRICS_PORT: '0', SANDBOX_URL: fixture.sandbox.url }),
      OUTRIDER_PARENT_PIPE: '1',
      LOG_LEVEL: 'error',
    });
  }

  /** SIGKILL; the supervisor starts another one. */
  async killOperator(): Promise<void> {
    await kill(this.#operator);
  }

  async close(): Promise<void> {
    this.#stopped = true;
    await kill(this.#operator);
    await this.#agent.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start(): ChildProcess {
    this.starts++;
    const child = spawn(process.execPath, [OPERATOR], { env: this.#env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('exit', () => {
      if (!this.#stopped) this.#operator = this.#start();
    });
    return child;
  }
}
