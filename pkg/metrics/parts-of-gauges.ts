import type { EngineMetrics, ExecutorMetrics } from './executor-metrics.ts';

/** Metrics of one workspace of a process that serves many. */
export interface TenantMetrics {
  metrics: EngineMetrics;
  /** It is served here no more: its part of the gauges goes. */
  end(): void;
}

/**
 * Gives each workspace of a process its part of the gauges: what one says neither overwrites nor resets what the others said.
 * Unknown outcomes add up; of an account that several workspaces share the one who looked last is shown.
 */
export class PartsOfGauges {
  readonly #metrics: ExecutorMetrics;
  #unknown = 0;

  constructor(metrics: ExecutorMetrics) {
    this.#metrics = metrics;
  }

  /** The part of one more workspace. */
  part(): TenantMetrics {
    let unknown = 0;
    let shown: { account: string; action: string }[] = [];
    const setUnknown = (value: number): void => {
      this.#unknown += value - unknown;
      unknown = value;
      this.#metrics.unknown.set(this.#unknown);
    };
    const reset = (): void => {
      for (const labels of shown) this.#metrics.budgetRemaining.remove(labels);
      shown = [];
    };
    const budgetRemaining = {
      reset,
      set: (labels: { account: string; action: string }, value: number): void => {
        shown.push(labels);
        this.#metrics.budgetRemaining.set(labels, value);
      },
    };
    return {
      metrics: { ...this.#metrics, unknown: { set: setUnknown }, budgetRemaining },
      end: () => {
        setUnknown(0);
        reset();
      },
    };
  }
}
