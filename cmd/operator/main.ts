import { collectDefaultMetrics, Registry } from 'prom-client';
import { SystemClock } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { messageOf } from '../../pkg/base/errors.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { openProductClock } from '../../pkg/base/product-clock.ts';
import { PROGRAM_VERSION } from '../../pkg/base/program-version.ts';
import { Shutdown } from '../../pkg/base/shutdown.ts';
import { LeaseEndpoint } from '../../pkg/controllers/leases/lease-endpoint.ts';
import { podIdentity } from '../../pkg/controllers/leases/pod-identity.ts';
import { podTokenVerifier } from '../../pkg/controllers/leases/pod-token.ts';
import { Operator } from '../../pkg/controllers/operator.ts';
import { setResourceGauges } from '../../pkg/controllers/resource-gauges.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import { EventRecorder } from '../../pkg/kube/events.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { createOperatorMetrics } from '../../pkg/metrics/operator-metrics.ts';
import { serveProbes } from '../../pkg/metrics/probe-server.ts';
import { createProcessMetrics } from '../../pkg/metrics/process-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { LeaseDesk } from '../../pkg/store/leases/lease-desk.ts';
import { graphChecker } from '../../pkg/tools/resources/graph-checker.ts';
import { executorLogin } from './executor-login.ts';
import { type Settings, settingsSchema } from './settings.ts';

const log = createLogger('operator');

/** The operator: controllers of the three kinds, the wake loop, leader election, metrics and probes. */
async function main(): Promise<void> {
  const settings = parseEnv(settingsSchema, process.env);
  const shutdown = new Shutdown(log);
  shutdown.onSignals();
  if (settings.OUTRIDER_PARENT_PIPE === '1') endWithParent(shutdown);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const operator = await assemble(settings, registry, shutdown);
  const probes = await serveProbes({
    host: settings.METRICS_HOST,
    port: settings.METRICS_PORT,
    registry,
    beforeScrape: () => setResourceGauges(operator.context),
    isReady: () => operator.hasSynced,
  });
  shutdown.add('probes', probes.close);
  const running = operator.run(shutdown.signal);
  shutdown.add('controllers', () => running);
  running.catch((error: unknown) => {
    log.error({ err: error }, 'the operator ends');
    void shutdown.run().finally(() => process.exit(1));
  });
  await Promise.race([operator.synced(), running]);
  process.stdout.write(`${JSON.stringify({ ready: true, metricsUrl: `${probes.url}/metrics` })}\n`);
}

async function assemble(settings: Settings, registry: Registry, shutdown: Shutdown): Promise<Operator> {
  const real = new SystemClock();
  const product = await openProductClock(settings.OUTRIDER_CLOCK);
  shutdown.add('clock', () => product.close());
  const runtime = { clock: real, random: Math.random, ids: systemIds, log, metrics: createKubeMetrics(registry) };
  const source = settings.KUBECONFIG_PATH ? { path: settings.KUBECONFIG_PATH } : ({ inCluster: true } as const);
  const qps = settings.KUBE_QPS;
  const client = KubeClient.open(source, runtime, { userAgent: 'outrider-operator', qps, burst: 2 * qps });
  shutdown.add('kubernetes', () => client.close());
  const db = new Database({ url: settings.DATABASE_URL, max: 12, applicationName: 'outrider-operator' });
  shutdown.add('database', () => db.close());
  const own = createProcessMetrics(registry);
  own.buildInfo.set({ version: PROGRAM_VERSION, node_version: process.version }, 1);
  own.poolProbes.set('operator', () => db.load());
  if (settings.CLAIM_URL) await serveLeases(settings, client, new LeaseDesk(db, product), shutdown);
  const identity = `${settings.POD_NAME}_${systemIds.uuid()}`;
  const events = new EventRecorder({
    client,
    runtime,
    controller: 'outrider.dev/operator',
    instance: settings.POD_NAME,
  });
  void events.run(shutdown.signal);
  return new Operator({
    client,
    runtime,
    db,
    databaseUrl: settings.DATABASE_URL,
    clocks: { real, product },
    homeNamespace: settings.OUTRIDER_NAMESPACE,
    ...(settings.WATCH_NAMESPACES
      ? { watchNamespaces: settings.WATCH_NAMESPACES.split(',').map((name) => name.trim()) }
      : {}),
    checker: graphChecker,
    executor: {
      image: settings.EXECUTOR_IMAGE,
      env: executorEnv(settings),
      databaseSecret: settings.EXECUTOR_DATABASE_SECRET,
      databaseSecretKey: settings.EXECUTOR_DATABASE_SECRET_KEY,
      secretEnv: settings.EXECUTOR_SECRET_ENV_JSON,
      serviceAccount: settings.EXECUTOR_SERVICE_ACCOUNT,
      command: settings.EXECUTOR_COMMAND_JSON,
      leaseUrl: settings.CLAIM_URL,
      imagePullPolicy: settings.EXECUTOR_IMAGE_PULL_POLICY,
      pod: settings.EXECUTOR_POD_JSON,
      maxPods: settings.EXECUTOR_MAX_PODS,
      mode: settings.EXECUTOR_MODE,
      pool: {
        replicas: settings.EXECUTOR_POOL_REPLICAS,
        connections: settings.EXECUTOR_POOL_CONNECTIONS,
        resources: settings.EXECUTOR_POOL_RESOURCES_JSON,
        command: settings.EXECUTOR_POOL_COMMAND_JSON,
      },
      maxUnavailablePercent: settings.EXECUTOR_MAX_UNAVAILABLE_PERCENT,
      imagePullSecrets: settings.EXECUTOR_IMAGE_PULL_SECRETS.split(',').filter(Boolean),
    },
    executorLogin: executorLogin(settings),
    events,
    metrics: createOperatorMetrics(registry),
    ...(settings.RESTORE_EPOCH_FILE ? { restoreEpochFile: settings.RESTORE_EPOCH_FILE } : {}),
    identity,
  });
}

/** Every replica hands out claims, the leader or not: a claim is decided by the database. */
async function serveLeases(settings: Settings, client: KubeClient, desk: LeaseDesk, shutdown: Shutdown): Promise<void> {
  const whose = {
    client,
    homeNamespace: settings.OUTRIDER_NAMESPACE,
    serviceAccount: settings.EXECUTOR_SERVICE_ACCOUNT,
  };
  const endpoint = new LeaseEndpoint({
    ids: systemIds,
    host: settings.METRICS_HOST,
    port: settings.CLAIMS_PORT,
    desk,
    verify: podTokenVerifier(client),
    identify: (pod) => podIdentity(whose, pod),
    log,
  });
  await endpoint.listen();
  shutdown.add('claims', () => endpoint.close());
}

/** Executors follow the same product clock. */
function executorEnv({ OUTRIDER_CLOCK, EXECUTOR_ENV_JSON }: Settings): Record<string, string> {
  return OUTRIDER_CLOCK ? { OUTRIDER_CLOCK, ...EXECUTOR_ENV_JSON } : EXECUTOR_ENV_JSON;
}

function endWithParent(shutdown: Shutdown): void {
  process.stdin.resume();
  process.stdin.on('end', () => {
    void shutdown.run().finally(() => process.exit(0));
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
