import { Registry } from 'prom-client';
import { SystemClock } from '../../pkg/base/clock.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger } from '../../pkg/base/log.ts';
import type { ProductClock } from '../../pkg/base/product-clock.ts';
import type { ExecutorSettings } from '../../pkg/controllers/context.ts';
import { Operator } from '../../pkg/controllers/operator.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import type { EventNote } from '../../pkg/kube/events.ts';
import { Informer } from '../../pkg/kube/informer.ts';
import { PODS } from '../../pkg/kube/resources.ts';
import type { KubeRuntime } from '../../pkg/kube/runtime.ts';
import type { KubeObject, Resource, SpecObject } from '../../pkg/kube/types.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { createOperatorMetrics } from '../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { RESOURCES } from '../../pkg/tools/resources/kinds.ts';
import { createKubeResources } from '../../pkg/tools/resources/kube-resources.ts';
import type { KeyedResources } from '../../pkg/tools/resources/resources.ts';
import type { KubeResourcesOptions } from '../../pkg/tools/resources/write-context.ts';
import { type EmbeddedKube, startEmbeddedKube } from './embedded-kube.ts';
import { patience } from './patience.ts';
import { testPostgres } from './postgres.ts';

/** A clock of the product for tests: stands where it is put. */
export class TestProductClock extends SystemClock implements ProductClock {
  at: number | undefined;
  holds = 0;

  override now(): number {
    return this.at ?? super.now();
  }

  hold(): Promise<() => void> {
    this.holds++;
    return Promise.resolve(() => {
      this.holds--;
    });
  }

  close(): void {}
}

/** An API server, a product database, and what production code makes of them. */
export interface TestCluster {
  api: EmbeddedKube;
  /** Text of the app role's connection string. */
  databaseUrl: string;
  superuserUrl: string;
  /** Text of the schema owner's connection string. */
  ownerUrl: string;
  /** Text of the executor role's connection string. */
  executorUrl: string;
  /** An object as it is stored now, by `<plural>/<namespace>/<name>`. */
  object(key: string): Promise<SpecObject | undefined>;
  list(plural: string): Promise<SpecObject[]>;
  client: KubeClient;
  db: Database;
  runtime: KubeRuntime;
  clock: TestProductClock;
  events: EventNote[];
  resources(options?: Partial<KubeResourcesOptions>): KeyedResources;
  /** Starts an operator that leads at once. */
  operator(executor?: Partial<ExecutorSettings>, watchNamespaces?: string[]): Promise<Operator>;
  /** Ends the operators: what is in the rows stays as it is. Another may be started then. */
  endOperators(): Promise<void>;
  /** Confirms deletions of pods at once, as their node would. */
  node(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTestCluster(): Promise<TestCluster> {
  const { appUrl, ownerUrl, superuserUrl, executorUrl } = await (await testPostgres()).product();
  const db = new Database({ url: appUrl, max: 8, applicationName: 'test' });
  const registry = new Registry();
  const log = createLogger('test', process.env.LOG_LEVEL ?? 'silent');
  const api = await startEmbeddedKube(log);
  const real = new SystemClock();
  const clock = new TestProductClock();
  const runtime: KubeRuntime = {
    clock: real,
    random: () => 0.5,
    ids: systemIds,
    log,
    metrics: createKubeMetrics(registry),
  };
  const client = KubeClient.open({ text: api.kubeconfig }, runtime, { qps: 1_000, burst: 1_000 });
  await api.setUp(client);
  const events: EventNote[] = [];
  const stop = new AbortController();
  let operating = new AbortController();
  const running: Promise<void>[] = [];
  const operators: Promise<void>[] = [];
  const clocks = { real, product: clock };
  const checker = { version: 'v1', problemsOf: () => [] };
  return {
    api,
    databaseUrl: appUrl,
    superuserUrl,
    ownerUrl,
    executorUrl,
    object: (key) => {
      const [plural = '', namespace, name = ''] = key.split('/');
      return client.find<SpecObject>(resourceOf(plural), { namespace, name });
    },
    list: async (plural) => (await client.list<SpecObject>(resourceOf(plural))).items,
    client,
    db,
    runtime,
    clock,
    events,
    resources: (options = {}) =>
      createKubeResources({ client, db, clocks, ids: systemIds, homeNamespace: 'outrider', checker, ...options }),
    async operator(executor = {}, watchNamespaces) {
      const operator = new Operator({
        client,
        runtime,
        db,
        databaseUrl: appUrl,
        clocks,
        homeNamespace: 'outrider',
        checker: {
          version: 'v1',
          problemsOf: (graph) => graph.nodes.flatMap((n) => (n.nodeType === 'bad' ? ['bad node'] : [])),
        },
        executor: {
          image: 'cmd/executor',
          env: {},
          databaseSecret: 'outrider-executor',
          serviceAccount: 'outrider-executor',
          command: ['node', 'cmd/executor/main.ts'],
          ...executor,
        },
        events: { record: (_about, note) => events.push(note) },
        metrics: createOperatorMetrics(new Registry()),
        identity: systemIds.uuid(),
        ...(watchNamespaces ? { watchNamespaces } : {}),
      });
      operators.push(operator.run(AbortSignal.any([stop.signal, operating.signal])));
      await operator.synced();
      return operator;
    },
    async endOperators() {
      operating.abort(new Error('the operators end'));
      await Promise.all(operators);
      operating = new AbortController();
    },
    async node() {
      const pods = new Informer<KubeObject>({ client, runtime, resource: PODS });
      const confirm = ({ metadata }: KubeObject): void => {
        if (metadata.deletionTimestamp)
          void client.delete(PODS, metadata, { uid: metadata.uid, gracePeriodSeconds: 0 });
      };
      pods.store.addHandler({ onAdd: confirm, onUpdate: (_before, pod) => confirm(pod), onDelete: () => undefined });
      running.push(pods.start(stop.signal));
      await pods.synced;
    },
    async stop() {
      stop.abort(new Error('test ends'));
      await Promise.all([...operators, ...running]);
      await client.close();
      await api.stop();
      await db.close();
    },
  };
}

function resourceOf(plural: string): Resource {
  const resource = [...Object.values(RESOURCES), PODS].find((one) => one.plural === plural);
  if (!resource) throw new Error(`no resource ${plural}`);
  return resource;
}

/** Resolves when `condition` gives something; asks after every 20 ms, for 15 s at most. */
export async function eventually<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 15_000,
): Promise<T> {
  const clock = new SystemClock();
  const until = clock.now() + withinMs * patience();
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (clock.now() > until) throw new Error(`never happened: ${what}`);
    await clock.sleep(20);
  }
}
