import { Registry } from 'prom-client';
import { SystemClock } from '../base/clock.ts';
import { systemIds } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import { createKubeMetrics } from '../metrics/kube-metrics.ts';
import type { KubeRuntime } from './runtime.ts';

/** The runtime of a program that nobody scrapes: real time and chance, and metrics for itself alone. */
export function ownRuntime(log: Logger): KubeRuntime {
  return {
    clock: new SystemClock(),
    random: Math.random,
    ids: systemIds,
    log,
    metrics: createKubeMetrics(new Registry()),
  };
}
