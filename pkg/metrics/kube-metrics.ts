import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Buckets of controller-runtime's `controller_runtime_reconcile_time_seconds`. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** client-go's ExponentialBuckets(10e-9, 10, 12). */
const QUEUE_BUCKETS = Array.from({ length: 12 }, (_, index) => Number(`1e${index - 8}`));
const REST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** What a queue tells at the moment of a scrape, in seconds. */
export interface QueueProbe {
  unfinishedSeconds: number;
  longestRunningSeconds: number;
}

/** What an informer tells at the moment of a scrape. */
export interface InformerProbe {
  /** Since the last sign of life (list, event, bookmark). */
  staleSeconds: number;
  objects: number;
}

/** Names and buckets of controller-runtime and client-go, so that existing dashboards work unchanged. */
export type KubeMetrics = ReturnType<typeof createKubeMetrics>;

/** Declares the metrics of the operator runtime, once per registry. */
export function createKubeMetrics(registry: Registry) {
  return {
    ...controllerMetrics(registry),
    ...queueMetrics(registry),
    ...clientMetrics(registry),
    ...informerMetrics(registry),
  };
}

function controllerMetrics(registry: Registry) {
  const counter = (name: string, help: string) =>
    new Counter({ name: `controller_runtime_${name}`, help, labelNames: ['controller'], registers: [registry] });
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `controller_runtime_${name}`, help, labelNames: ['controller'], registers: [registry] });
  return {
    reconciles: new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciliations by controller and result.',
      labelNames: ['controller', 'result'],
      registers: [registry],
    }),
    reconcileErrors: counter('reconcile_errors_total', 'Reconciliations that ended with an error.'),
    terminalErrors: counter('terminal_reconcile_errors_total', 'Errors that are not retried: a person must act.'),
    reconcilePanics: counter('reconcile_panics_total', 'Reconciliations that ended with a programming error.'),
    reconcileTimeouts: counter('reconcile_timeouts_total', 'Reconciliations that ran into their time limit.'),
    reconcileTime: new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Duration of a reconciliation.',
      labelNames: ['controller'],
      buckets: RECONCILE_BUCKETS,
      registers: [registry],
    }),
    maxConcurrent: gauge('max_concurrent_reconciles', 'Configured number of workers.'),
    activeWorkers: gauge('active_workers', 'Workers that are reconciling now.'),
  };
}

function queueMetrics(registry: Registry) {
  const labelNames = ['name', 'controller'] as const;
  const probes = new Map<string, () => QueueProbe>();
  const queueGauge = (name: string, help: string, pick: (probe: QueueProbe) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        for (const [queue, probe] of probes) this.set({ name: queue, controller: queue }, pick(probe()));
      },
    });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, buckets: QUEUE_BUCKETS, registers: [registry] });
  return {
    queueProbes: probes,
    queueDepth: new Gauge({
      name: 'workqueue_depth',
      help: 'Keys waiting for a worker.',
      labelNames,
      registers: [registry],
    }),
    queueAdds: new Counter({ name: 'workqueue_adds_total', help: 'Keys added.', labelNames, registers: [registry] }),
    queueRetries: new Counter({
      name: 'workqueue_retries_total',
      help: 'Keys retried.',
      labelNames,
      registers: [registry],
    }),
    queueDuration: histogram('workqueue_queue_duration_seconds', 'How long a key waited for a worker.'),
    workDuration: histogram('workqueue_work_duration_seconds', 'How long a worker held a key.'),
    unfinishedWork: queueGauge(
      'workqueue_unfinished_work_seconds',
      'Sum of the time that running work has taken so far.',
      (probe) => probe.unfinishedSeconds,
    ),
    longestRunning: queueGauge(
      'workqueue_longest_running_processor_seconds',
      'Age of the oldest running work.',
      (probe) => probe.longestRunningSeconds,
    ),
  };
}

function clientMetrics(registry: Registry) {
  return {
    leader: new Gauge({
      name: 'leader_election_master_status',
      help: '1 while this process leads, else 0.',
      labelNames: ['name'],
      registers: [registry],
    }),
    leaderSlowPath: new Counter({
      name: 'leader_election_slowpath_total',
      help: 'Lease renewals that had to read the Lease first.',
      labelNames: ['name'],
      registers: [registry],
    }),
    restRequests: new Counter({
      name: 'rest_client_requests_total',
      help: 'Requests to the Kubernetes API by status code, method and host.',
      labelNames: ['code', 'method', 'host'],
      registers: [registry],
    }),
    restDuration: new Histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Time to the first byte of an answer of the Kubernetes API.',
      labelNames: ['verb', 'host'],
      buckets: REST_BUCKETS,
      registers: [registry],
    }),
  };
}

function informerMetrics(registry: Registry) {
  const labelNames = ['resource'] as const;
  const probes = new Map<string, () => InformerProbe>();
  const informerGauge = (name: string, help: string, pick: (probe: InformerProbe) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        for (const [resource, probe] of probes) this.set({ resource }, pick(probe()));
      },
    });
  return {
    informerProbes: probes,
    informerStaleness: informerGauge(
      'outrider_informer_staleness_seconds',
      'Time since the last sign of life of a watch; above 300 the operator may be deaf.',
      (probe) => probe.staleSeconds,
    ),
    informerObjects: informerGauge('outrider_informer_objects', 'Objects in the cache.', (probe) => probe.objects),
    informerRelists: new Counter({
      name: 'outrider_informer_relists_total',
      help: 'Full lists by resource and cause.',
      labelNames: ['resource', 'reason'],
      registers: [registry],
    }),
    handlerErrors: new Counter({
      name: 'outrider_informer_handler_errors_total',
      help: 'Event handlers that threw; the event was kept in the cache.',
      labelNames: ['resource'],
      registers: [registry],
    }),
    eventsDropped: new Counter({
      name: 'outrider_events_dropped_total',
      help: 'Kubernetes Events that were not written, by cause.',
      labelNames: ['reason'],
      registers: [registry],
    }),
  };
}
