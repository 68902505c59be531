import { collectDefaultMetrics, Registry } from 'prom-client';
import { SystemClock } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { messageOf } from '../../pkg/base/errors.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { openProductClock } from '../../pkg/base/product-clock.ts';
import { Shutdown } from '../../pkg/base/shutdown.ts';
import { Operator } from '../../pkg/controllers/operator.ts';
import { setResourceGauges } from '../../pkg/controllers/resource-gauges.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import { EventRecorder } from '../../pkg/kube/events.ts';
import { createKubeMetrics } from '../../pkg/metrics/kube-metrics.ts';
import { createOperatorMetrics } from '../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { graphChecker } from '../../pkg/tools/resources/graph-checker.ts';
import { serveProbes } from './http.ts';
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
  const client = KubeClient.open(source, runtime, { userAgent: 'outrider-operator' });
  shutdown.add('kubernetes', () => client.close());
  const db = new Database({ url: settings.DATABASE_URL, max: 12, applicationName: 'outrider-operator' });
  shutdown.add('database', () => db.close());
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
      serviceAccount: settings.EXECUTOR_SERVICE_ACCOUNT,
    },
    events,
    metrics: createOperatorMetrics(registry),
    ...(settings.RESTORE_EPOCH_FILE ? { restoreEpochFile: settings.RESTORE_EPOCH_FILE } : {}),
    identity,
  });
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
