import type { EngineMetrics } from '../../metrics/executor-metrics.ts';
import type { BatchResult } from './batch.ts';
import { tally } from './tally.ts';

/** Counts a batch that took `tookMs` of real time, and its steps; one that found nothing is none. */
export function countBatch(metrics: EngineMetrics, result: BatchResult, tookMs: number): void {
  if (result.runs === 0) return;
  metrics.batch.observe(result.runs);
  metrics.batchTime.observe(tookMs / 1000);
  metrics.stepLag.observe(result.lagMs / 1000);
  for (const { nodeType, result: outcome, times } of tally(result.steps))
    metrics.steps.inc({ node_type: nodeType, result: outcome }, times);
}
