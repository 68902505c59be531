import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createFleetMetrics } from './fleet-metrics.ts';
import { createPeriodicMetrics } from './periodic-metrics.ts';

export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;

/** Declares the operator's own metrics, once per registry. */
export function createOperatorMetrics(registry: Registry) {
  const registers = [registry];
  return {
    fleet: createFleetMetrics(registry),
    periodic: createPeriodicMetrics(registry),
    executors: new Gauge({
      name: 'outrider_executors',
      help: 'Workspaces by state of their executor.',
      labelNames: ['state'],
      registers,
    }),
    executorStarts: new Counter({ name: 'outrider_executor_starts_total', help: 'Executor pods made.', registers }),
    executorSleeps: new Counter({
      name: 'outrider_executor_sleeps_total',
      help: 'Executor pods ended because nothing was due.',
      registers,
    }),
    executorStartTime: new Histogram({
      name: 'outrider_executor_start_duration_seconds',
      help: 'Time from making an executor pod to its claim, seen once a second.',
      buckets: [0.5, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120],
      registers,
    }),
    executorRoleRestored: new Counter({
      name: 'outrider_executor_role_restored_total',
      help: 'Times that the password or the settings of the login of all executors were found changed and restored.',
      labelNames: ['what'],
      registers,
    }),
    executorProblem: new Gauge({
      name: 'outrider_executor_pods_in_trouble',
      help: 'Executor pods that do not come up, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    leasesLapsed: new Counter({
      name: 'outrider_claims_lapsed_total',
      help: 'Claims that ran out without being given back: an executor died or was cut off, and is fenced.',
      registers,
    }),
    wakeDepth: new Gauge({
      name: 'outrider_wake_queue_depth',
      help: 'Workspaces with work due and without an executor; of more than 1,000 that are due those due longest are looked at: at least so many.',
      registers,
    }),
    wakeOldest: new Gauge({
      name: 'outrider_wake_oldest_age_seconds',
      help: 'Age of the oldest due wake without an executor, in product time.',
      registers,
    }),
    wakePollErrors: new Counter({
      name: 'outrider_wake_poll_errors_total',
      help: 'Polls for due work that failed.',
      registers,
    }),
    restoreFrozen: new Gauge({
      name: 'outrider_restore_freeze',
      help: '1 while all sends are frozen because a backup may have been restored; outrider reconcile ends it.',
      registers,
    }),
    drift: new Gauge({
      name: 'outrider_drift_objects',
      help: 'Resources that are older than the rows that show them: the cluster was restored from a backup.',
      labelNames: ['kind'],
      registers,
    }),
    resourcesStalled: new Gauge({
      name: 'outrider_resources_stalled',
      help: 'Custom resources that only their owner can bring on: condition Stalled.',
      labelNames: ['kind'],
      registers,
    }),
    resources: new Gauge({
      name: 'outrider_resources',
      help: 'Custom resources by kind and readiness.',
      labelNames: ['kind', 'ready'],
      registers,
    }),
  };
}
