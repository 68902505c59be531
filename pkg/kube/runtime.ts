import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { KubeMetrics } from '../metrics/kube-metrics.ts';

/** What every part of the operator runtime is given; the clock is the real one (leases, back-off, limits). */
export interface KubeRuntime {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  ids: Ids;
  log: Logger;
  metrics: KubeMetrics;
}
