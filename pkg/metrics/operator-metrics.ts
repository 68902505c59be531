import { Counter, Gauge, type Registry } from 'prom-client';

export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;

/** Declares the operator's own metrics, once per registry. */
export function createOperatorMetrics(registry: Registry) {
  const registers = [registry];
  return {
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
    wakeDepth: new Gauge({
      name: 'outrider_wake_queue_depth',
      help: 'Workspaces with work due and without an executor.',
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
    resources: new Gauge({
      name: 'outrider_resources',
      help: 'Custom resources by kind and readiness.',
      labelNames: ['kind', 'ready'],
      registers,
    }),
  };
}
