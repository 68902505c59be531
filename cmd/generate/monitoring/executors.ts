import type { Dashboard } from './dashboard.ts';
import { quantile, rate } from './quantile.ts';

/** Waking and sleeping of workspaces, and what their executors do together. */
export const EXECUTORS: Dashboard = {
  name: 'executors',
  title: 'Outrider / Executors and waking',
  description: 'How many workspaces are awake, how fast they wake, and what their executors do together.',
  rows: [
    {
      title: 'Waking',
      panels: [
        {
          title: 'Workspaces by executor',
          description: 'Idle ones cost nothing but their resource.',
          unit: 'short',
          queries: [['max by (state) (outrider_executors)', '{{state}}']],
        },
        {
          title: 'Due without an executor',
          description: 'Starts are paced; a queue that grows for minutes is a backlog.',
          unit: 'short',
          queries: [['max(outrider_wake_queue_depth)', 'workspaces']],
        },
        {
          title: 'Oldest of them',
          description: 'In product time.',
          unit: 's',
          queries: [['max(outrider_wake_oldest_age_seconds)', 'age']],
        },
        {
          title: 'Made to claim',
          description: 'Time from making a pod to its claim.',
          unit: 's',
          queries: [
            [quantile(0.5, 'outrider_executor_start_duration_seconds'), 'p50'],
            [quantile(0.99, 'outrider_executor_start_duration_seconds'), 'p99'],
          ],
        },
      ],
    },
    {
      title: 'Schedules',
      panels: [
        {
          title: 'Schedules that are late',
          description: 'How long the start of a schedule, or the next step of its run, has been due. In product time.',
          unit: 's',
          queries: [['max by (kind) (outrider_schedules_late_seconds)', '{{kind}}']],
        },
        {
          title: 'Failed the last time',
          description: 'Enabled schedules by kind; lost: their executors ended.',
          unit: 'short',
          queries: [
            ['max by (kind) (outrider_schedules_failing)', '{{kind}}'],
            ['max by (kind) (outrider_schedules_lost)', '{{kind}} lost'],
          ],
        },
        {
          title: 'Scheduled runs',
          description: 'That ended, per second, by result.',
          unit: 'ops',
          queries: [[rate('outrider_scheduled_runs_total', ['kind', 'result']), '{{kind}} {{result}}']],
        },
        {
          title: 'Actions without a run',
          description: 'That wait for their account, or are under way.',
          unit: 'short',
          queries: [['max by (action) (outrider_actions_open)', '{{action}}']],
        },
      ],
    },
    {
      title: 'Signals and watches',
      panels: [
        {
          title: 'Decisions of signal agents',
          description: 'About signals, per second, by what became of them.',
          unit: 'ops',
          queries: [[rate('outrider_signal_outcomes_total', ['outcome']), '{{outcome}}']],
        },
        {
          title: 'Found and looked at',
          description:
            'New signals by type, profiles that agents looked at, and credits for whom they found, per second.',
          unit: 'ops',
          queries: [
            [rate('outrider_signals_found_total', ['type']), '{{type}}'],
            [rate('outrider_profiles_watched_total', ['result']), 'profiles {{result}}'],
            ['sum(rate(outrider_signal_credits_total[$__rate_interval]))', 'credits'],
          ],
        },
        {
          title: 'Signal agents',
          description: 'Of all workspaces, by state; of the active those that found nobody for a week.',
          unit: 'short',
          queries: [
            ['max by (state) (outrider_signal_agents)', '{{state}}'],
            ['max by (kind) (outrider_signal_sources_failing)', '{{kind}}s failing'],
          ],
        },
        {
          title: 'Sources of signal agents',
          description: 'Looks at feeds and sites, and signals about which somebody was asked, per second.',
          unit: 'ops',
          queries: [
            [rate('outrider_signal_sources_total', ['kind', 'result']), '{{kind}} {{result}}'],
            [rate('outrider_signals_judged_total', ['match']), 'judged {{match}}'],
          ],
        },
        {
          title: 'Checks of watches',
          description: 'Per second, by whether something could be read, and what is new.',
          unit: 'ops',
          queries: [
            [rate('outrider_watch_checks_total', ['kind', 'result']), '{{kind}} {{result}}'],
            [rate('outrider_watch_findings_total', ['kind']), '{{kind}} findings'],
          ],
        },
      ],
    },
    {
      title: 'Posts',
      panels: [
        {
          title: 'Posts: due to online',
          description:
            'Product time from the moment for which a post was planned until the network confirmed it, or a look-up found it.',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.5, sum by (le) (rate(outrider_post_delay_seconds_bucket[$__rate_interval])))',
              'p50',
            ],
            [
              'histogram_quantile(0.99, sum by (le) (rate(outrider_post_delay_seconds_bucket[$__rate_interval])))',
              'p99',
            ],
          ],
        },
        {
          title: 'Posts that were looked for',
          description: 'Minutes after they went out: seen with their whole text, absent, or truncated.',
          unit: 'ops',
          queries: [[rate('outrider_posts_read_back_total', ['outcome']), '{{outcome}}']],
        },
        {
          title: 'Posts that failed',
          description: 'By code, until somebody retries or takes them back.',
          unit: 'short',
          queries: [['max by (code) (outrider_posts_failed)', '{{code}}']],
        },
      ],
    },
    {
      title: 'Pods',
      panels: [
        {
          title: 'Starts and sleeps',
          description: 'Per second.',
          unit: 'ops',
          queries: [
            [rate('outrider_executor_starts_total'), 'starts'],
            [rate('outrider_executor_sleeps_total'), 'sleeps'],
          ],
        },
        {
          title: 'Pods in trouble',
          description: 'By the scheduler’s or kubelet’s reason.',
          unit: 'short',
          queries: [['max by (reason) (outrider_executor_pods_in_trouble)', '{{reason}}']],
        },
        {
          title: 'Claims that lapsed',
          description: 'Executors that died or were cut off, in the last hour. They are fenced: nothing is sent twice.',
          unit: 'short',
          queries: [['sum(increase(outrider_claims_lapsed_total[1h]))', 'lapsed']],
        },
        {
          title: 'Claims asked for',
          description: 'By result. Refused ones are repeated until the older claim ran out.',
          unit: 'ops',
          queries: [[rate('outrider_claims_total', ['result']), '{{result}}']],
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'Steps by node type',
          description: 'Per second, of all executors.',
          unit: 'ops',
          queries: [[rate('outrider_workflow_steps_total', ['node_type']), '{{node_type}}']],
        },
        {
          title: 'Steps by result',
          description: 'Per second, of all executors.',
          unit: 'ops',
          queries: [[rate('outrider_workflow_steps_total', ['result']), '{{result}}']],
        },
        {
          title: 'Batches',
          description: 'Duration p99, and runs per batch.',
          unit: 's',
          queries: [
            [quantile(0.99, 'outrider_batch_duration_seconds'), 'duration p99'],
            [quantile(0.5, 'outrider_batch_duration_seconds'), 'duration p50'],
          ],
        },
        {
          title: 'Runs per batch',
          description: 'Grows with the backlog, up to 2,000.',
          unit: 'short',
          queries: [[quantile(0.9, 'outrider_batch_runs'), 'p90']],
        },
      ],
    },
    {
      title: 'Effects',
      panels: [
        {
          title: 'Sends by action and state',
          description: 'Per second.',
          unit: 'ops',
          queries: [[rate('outrider_sends_total', ['action', 'state']), '{{action}} {{state}}']],
        },
        {
          title: 'Answers of the provider, p99',
          description: 'Real time by action.',
          unit: 's',
          queries: [[quantile(0.99, 'outrider_effect_duration_seconds', ['action']), '{{action}}']],
        },
        {
          title: 'Suppression at dispatch',
          description: 'Must stay 0: suppression is checked when a send is claimed.',
          unit: 'short',
          queries: [['sum(increase(outrider_suppression_hits_at_dispatch_total[1h]))', 'hits']],
        },
        {
          title: 'Resident memory',
          description: 'The largest executor, and the median.',
          unit: 'bytes',
          queries: [
            ['max(process_resident_memory_bytes{component="executor"})', 'largest'],
            ['quantile(0.5, process_resident_memory_bytes{component="executor"})', 'median'],
          ],
        },
      ],
    },
  ],
};
