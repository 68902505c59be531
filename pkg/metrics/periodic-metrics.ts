import { Counter, Histogram, type Registry } from 'prom-client';
import type { PeriodicObserver } from '../base/periodic.ts';

/** Declares the metrics of periodic jobs (`runPeriodically`), once per registry. */
export function createPeriodicMetrics(registry: Registry): PeriodicObserver {
  const labelNames = ['task'] as const;
  const duration = new Histogram({
    name: 'outrider_periodic_run_duration_seconds',
    help: 'Real time of a run of a periodic job that ended without an error.',
    labelNames,
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'outrider_periodic_run_failures_total',
    help: 'Runs of a periodic job that failed or took longer than they may; its next run tries again.',
    labelNames,
    registers: [registry],
  });
  return {
    done: (task, ms) => {
      duration.observe({ task }, ms / 1_000);
      // The first failure is an increase, and not a series out of nothing.
      failures.inc({ task }, 0);
    },
    failed: (task) => failures.inc({ task }),
  };
}
