import pg from 'pg';
import { Registry } from 'prom-client';
import { SystemClock } from '../../pkg/base/clock.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger } from '../../pkg/base/log.ts';
import type { ProductClock } from '../../pkg/base/product-clock.ts';
import { Operator } from '../../pkg/controllers/operator.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import type { KubeObject } from '../../pkg/kube/types.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { createOperatorMetrics } from '../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { graphChecker } from '../../pkg/tools/resources/graph-checker.ts';
import { type OutriderObject, RESOURCES } from '../../pkg/tools/resources/kinds.ts';
import { type EmbeddedKube, startEmbeddedKube } from '../tools/embedded-kube.ts';
import { kubectl } from '../tools/kubectl.ts';
import { testPostgres } from '../tools/postgres.ts';

export type ResourceKind = 'Workspace' | 'Campaign' | 'Workflow';
let copies = 0;

/**
 * An API server with the operator on it, whose objects live apart from the product's database, so that either can be
 * restored without the other. Nothing runs the Pods; tests start executors themselves.
 */
export class OwnCluster {
  readonly #appUrl: string;
  readonly #clock: ProductClock;
  #database: string;
  #backup: string | undefined;
  #running: { api: EmbeddedKube; client: KubeClient } | undefined;
  #operating: { stop: AbortController; done: Promise<void>; db: Database; registry: Registry } | undefined;

  private constructor(appUrl: string, clock: ProductClock, database: string) {
    this.#appUrl = appUrl;
    this.#clock = clock;
    this.#database = database;
  }

  static async make(appUrl: string, clock: ProductClock): Promise<OwnCluster> {
    const name = `kube_${++copies}_${process.pid}`;
    await (await testPostgres()).database(name);
    const cluster = new OwnCluster(appUrl, clock, name);
    await cluster.#open(true);
    return cluster;
  }

  get client(): KubeClient {
    if (!this.#running) throw new Error('the API server is stopped');
    return this.#running.client;
  }

  get api(): EmbeddedKube {
    if (!this.#running) throw new Error('the API server is stopped');
    return this.#running.api;
  }

  /** The operator's metrics as Prometheus reads them. */
  metrics(): Promise<string> {
    return this.#operating?.registry.metrics() ?? Promise.resolve('');
  }

  apply(kind: ResourceKind, name: string, spec: object): Promise<KubeObject> {
    const object = { apiVersion: 'outrider.dev/v1alpha1', kind, metadata: { name, namespace: 'outrider' }, spec };
    return this.client.apply(RESOURCES[kind], object as KubeObject, { fieldManager: 'kubectl', force: true });
  }

  find(kind: ResourceKind, name: string): Promise<OutriderObject | undefined> {
    return this.client.find<OutriderObject>(RESOURCES[kind], { namespace: 'outrider', name });
  }

  /** Starts an operator that leads as soon as it holds the Lease. */
  async operate(): Promise<void> {
    const log = createLogger('test', process.env['LOG_LEVEL'] ?? 'silent');
    const real = new SystemClock();
    const stop = new AbortController();
    const registry = new Registry();
    const db = new Database({ url: this.#appUrl, max: 8, applicationName: 'operator' });
    const runtime = {
      clock: real,
      random: () => 0.5,
      ids: systemIds,
      log,
      metrics: createKubeMetrics(new Registry()),
    };
    const operator = new Operator({
      client: this.client,
      runtime,
      db,
      databaseUrl: this.#appUrl,
      clocks: { real, product: this.#clock },
      homeNamespace: 'outrider',
      checker: graphChecker,
      executor: {
        image: 'cmd/executor',
        command: ['node', 'cmd/executor/main.ts'],
        env: {},
        databaseSecret: 'outrider-executor',
        serviceAccount: 'outrider-executor',
      },
      events: { record: () => undefined },
      metrics: createOperatorMetrics(registry),
      identity: systemIds.uuid(),
    });
    const done = operator.run(stop.signal).catch(() => undefined);
    this.#operating = { stop, done, db, registry };
    await operator.synced();
  }

  async stopOperator(): Promise<void> {
    const operating = this.#operating;
    this.#operating = undefined;
    operating?.stop.abort(new Error('test ends'));
    await operating?.done;
    await operating?.db.close();
  }

  /** Copies the objects; the operator must be stopped. */
  async backup(): Promise<void> {
    this.#backup = `${this.#database}_backup`;
    await this.#closed(() => admin(`create database ${this.#backup} template ${this.#database}`));
  }

  /** Puts the copied objects in place of the present ones; the operator must be stopped. */
  async restore(): Promise<void> {
    const next = `${this.#database}_restored`;
    await this.#closed(() => admin(`create database ${next} template ${this.#backup}`));
    await this.#close();
    this.#database = next;
    await this.#open(false);
  }

  /** A new, empty cluster in place of the present one; the operator must be stopped. */
  async renew(): Promise<void> {
    await this.#close();
    this.#database = `kube_${++copies}_${process.pid}`;
    await (await testPostgres()).database(this.#database);
    await this.#open(true);
  }

  /** kubectl with this cluster as a person has it. @returns what it printed */
  async kubectl(args: string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await kubectl(this.api.kubeconfigPath, args, input === undefined ? {} : { input });
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async stop(): Promise<void> {
    await this.stopOperator();
    await this.#close();
  }

  async #closed(work: () => Promise<void>): Promise<void> {
    await this.#close();
    await work();
    await this.#open(false);
  }

  async #open(fresh: boolean): Promise<void> {
    const log = createLogger('test', 'silent');
    const url = new URL((await testPostgres()).url);
    url.pathname = `/${this.#database}`;
    const api = await startEmbeddedKube(log, url.href);
    const runtime = {
      clock: new SystemClock(),
      random: () => 0.5,
      ids: systemIds,
      log,
      metrics: createKubeMetrics(new Registry()),
    };
    const client = KubeClient.open({ text: api.kubeconfig }, runtime, { qps: 1_000, burst: 1_000 });
    if (fresh) await api.setUp(client);
    this.#running = { api, client };
  }

  async #close(): Promise<void> {
    await this.#running?.client.close();
    await this.#running?.api.stop();
    this.#running = undefined;
  }
}

async function admin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: (await testPostgres()).url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
