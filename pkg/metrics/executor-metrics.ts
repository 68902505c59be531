import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createEnrichmentMetrics } from './enrichment-metrics.ts';

/** Seconds of product time between due and begun; the wait that people feel. */
const LAG_BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600];

/** Metrics of an executor. They have no label of the workspace: a pod of its own has it, and a pool has many. */
export type ExecutorMetrics = ReturnType<typeof createExecutorMetrics>;

/** What the engine of one workspace tells; what is a state, and no count, is its own part of it. */
export type EngineMetrics = Omit<ExecutorMetrics, 'unknown' | 'budgetRemaining'> & {
  unknown: { set(value: number): void };
  budgetRemaining: { reset(): void; set(labels: { account: string; action: string }, value: number): void };
};

/** Declares the metrics of an executor, once per registry. */
export function createExecutorMetrics(registry: Registry) {
  const registers = [registry];
  return {
    stepLag: new Histogram({
      name: 'outrider_step_lag_seconds',
      help: 'Product time between a step being due and begun.',
      buckets: LAG_BUCKETS,
      registers,
    }),
    steps: new Counter({
      name: 'outrider_workflow_steps_total',
      help: 'Workflow steps done, by node type and result.',
      labelNames: ['node_type', 'result'],
      registers,
    }),
    batchTime: new Histogram({
      name: 'outrider_batch_duration_seconds',
      help: 'Real time of one batch of due runs, from claiming them to the commit.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    effectTime: new Histogram({
      name: 'outrider_effect_duration_seconds',
      help: "Real time of a provider's answer to an effect, by action.",
      labelNames: ['action'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    sends: new Counter({
      name: 'outrider_sends_total',
      help: 'Sends that reached a state of the ledger.',
      labelNames: ['action', 'state'],
      registers,
    }),
    calls: new Counter({
      name: 'outrider_node_calls_total',
      help: 'Calls of nodes to systems outside, by node type and what became of them.',
      labelNames: ['node_type', 'result'],
      registers,
    }),
    ...createEnrichmentMetrics(registry),
    scheduledRuns: new Counter({
      name: 'outrider_scheduled_runs_total',
      help: 'Scheduled runs that ended, by kind and result.',
      labelNames: ['kind', 'result'],
      registers,
    }),
    postsReadBack: new Counter({
      name: 'outrider_posts_read_back_total',
      help: 'Posts that were looked for after they went out, by outcome: seen, absent or truncated.',
      labelNames: ['outcome'],
      registers,
    }),
    postDelay: new Histogram({
      name: 'outrider_post_delay_seconds',
      help: 'Product time from the moment for which a post was planned until the network confirmed it, or a look-up found it.',
      buckets: [1, 5, 15, 60, 300, 900, 3600, 21600],
      registers,
    }),
    signalOutcomes: new Counter({
      name: 'outrider_signal_outcomes_total',
      help: 'Signals that agents decided about, by what became of them.',
      labelNames: ['outcome'],
      registers,
    }),
    profilesWatched: new Counter({
      name: 'outrider_profiles_watched_total',
      help: 'Profiles that signal agents looked at, by whether there was one.',
      labelNames: ['result'],
      registers,
    }),
    signalsFound: new Counter({
      name: 'outrider_signals_found_total',
      help: 'New signals that signal agents found, by type.',
      labelNames: ['type'],
      registers,
    }),
    signalSources: new Counter({
      name: 'outrider_signal_sources_total',
      help: 'Looks of signal agents at feeds and sites, by whether they could be read.',
      labelNames: ['kind', 'result'],
      registers,
    }),
    signalsJudged: new Counter({
      name: 'outrider_signals_judged_total',
      help: 'Signals about which signal agents asked somebody, by the answer.',
      labelNames: ['match'],
      registers,
    }),
    signalCredits: new Counter({
      name: 'outrider_signal_credits_total',
      help: 'Credits charged for people whom signal agents found on the network and enqueued.',
      registers,
    }),
    watchChecks: new Counter({
      name: 'outrider_watch_checks_total',
      help: 'Checks of watches, by the kind of watch and by whether something could be read.',
      labelNames: ['kind', 'result'],
      registers,
    }),
    watchFindings: new Counter({
      name: 'outrider_watch_findings_total',
      help: 'What watches found that is new, by the kind of watch.',
      labelNames: ['kind'],
      registers,
    }),
    unknown: new Gauge({ name: 'outrider_unknown_outcomes', help: 'Sends whose outcome is not known yet.', registers }),
    deadLetters: new Counter({
      name: 'outrider_dead_letters_total',
      help: 'Sends and pushes that a person has to decide about.',
      registers,
    }),
    suppressionHits: new Counter({
      name: 'outrider_suppression_hits_at_dispatch_total',
      help: 'Sends stopped by suppression as late as at dispatch; should stay 0.',
      registers,
    }),
    budgetRemaining: new Gauge({
      name: 'outrider_budget_remaining',
      help: 'Units that the workspace may still spend today.',
      labelNames: ['account', 'action'],
      registers,
    }),
    fenced: new Counter({
      name: 'outrider_executor_fenced_total',
      help: 'Times that this process lost its claim and stopped.',
      registers,
    }),
    claims: new Counter({
      name: 'outrider_claims_total',
      help: 'Claims asked for.',
      labelNames: ['result'],
      registers,
    }),
    engineFailures: new Counter({
      name: 'outrider_engine_failures_total',
      help: 'Times that the engine of one workspace of a pool failed and was begun anew; the others of its process went on.',
      registers,
    }),
    poolSeats: new Gauge({
      name: 'outrider_pool_seats',
      help: 'Workspaces that this process of a pool serves: working under their claim, or waiting for it.',
      labelNames: ['state'],
      registers,
    }),
    batch: new Histogram({
      name: 'outrider_batch_runs',
      help: 'Due runs per batch.',
      buckets: [1, 5, 10, 50, 100, 500, 1000, 2000],
      registers,
    }),
  };
}
