import type { Dashboard } from './dashboard.ts';
import { quantile, rate } from './quantile.ts';

/** The operator by the names of controller-runtime and client-go. */
export const CONTROLLERS: Dashboard = {
  name: 'controllers',
  title: 'Outrider / Controllers',
  description: 'Reconciliation, work queues, watches and the Kubernetes API as the operator sees it.',
  rows: [
    {
      title: 'Reconciliation',
      panels: [
        {
          title: 'Reconciliations',
          description: 'Per second, by controller and result. An unchanged object is reconciled without a write.',
          unit: 'ops',
          queries: [
            [rate('controller_runtime_reconcile_total', ['controller', 'result']), '{{controller}} {{result}}'],
          ],
        },
        {
          title: 'Errors',
          description: 'Per second; each is retried with back-off and logged.',
          unit: 'ops',
          queries: [
            [rate('controller_runtime_reconcile_errors_total', ['controller']), '{{controller}}'],
            [rate('controller_runtime_terminal_reconcile_errors_total', ['controller']), '{{controller}} terminal'],
          ],
        },
        {
          title: 'Duration p99',
          description: 'By controller.',
          unit: 's',
          queries: [[quantile(0.99, 'controller_runtime_reconcile_time_seconds', ['controller']), '{{controller}}']],
        },
        {
          title: 'Busy workers',
          description: 'Of those configured.',
          unit: 'short',
          queries: [
            ['max by (controller) (controller_runtime_active_workers)', '{{controller}}'],
            ['max by (controller) (controller_runtime_max_concurrent_reconciles)', '{{controller}} at most'],
          ],
        },
      ],
    },
    {
      title: 'Work queues',
      panels: [
        {
          title: 'Depth',
          description: 'Keys that wait for a worker.',
          unit: 'short',
          queries: [['max by (name) (workqueue_depth)', '{{name}}']],
        },
        {
          title: 'Added and retried',
          description: 'Keys per second.',
          unit: 'ops',
          queries: [
            [rate('workqueue_adds_total', ['name']), '{{name}} added'],
            [rate('workqueue_retries_total', ['name']), '{{name}} retried'],
          ],
        },
        {
          title: 'Time in the queue and at work, p99',
          description: 'Above a second, changes are slow to show.',
          unit: 's',
          queries: [
            [quantile(0.99, 'workqueue_queue_duration_seconds', ['name']), '{{name}} waits'],
            [quantile(0.99, 'workqueue_work_duration_seconds', ['name']), '{{name}} works'],
          ],
        },
        {
          title: 'Oldest work',
          description: 'A worker that does not come back; above 300 s it is stuck.',
          unit: 's',
          queries: [
            ['max by (name) (workqueue_longest_running_processor_seconds)', '{{name}} oldest'],
            ['max by (name) (workqueue_unfinished_work_seconds)', '{{name}} sum'],
          ],
        },
      ],
    },
    {
      title: 'Watches and leadership',
      panels: [
        {
          title: 'Last sign of life of a watch',
          description: 'Bookmarks come at least once a minute; above 300 s the operator may be deaf.',
          unit: 's',
          queries: [['max by (resource) (outrider_informer_staleness_seconds)', '{{resource}}']],
        },
        {
          title: 'Objects in the cache',
          description: 'By resource.',
          unit: 'short',
          queries: [['max by (resource) (outrider_informer_objects)', '{{resource}}']],
        },
        {
          title: 'Lists',
          description: 'Full lists in the last hour by cause; at rest there is none.',
          unit: 'short',
          queries: [
            ['sum by (resource, reason) (increase(outrider_informer_relists_total[1h]))', '{{resource}} {{reason}}'],
          ],
        },
        {
          title: 'Leader',
          description: 'Which replica leads.',
          unit: 'short',
          queries: [['leader_election_master_status', '{{instance}}']],
        },
      ],
    },
    {
      title: 'Kubernetes API',
      panels: [
        {
          title: 'Requests by code',
          description: 'Per second. 429 is the API server’s priority and fairness.',
          unit: 'reqps',
          queries: [[rate('rest_client_requests_total', ['code']), '{{code}}']],
        },
        {
          title: 'Duration p99',
          description: 'To the first byte, by verb.',
          unit: 's',
          queries: [[quantile(0.99, 'rest_client_request_duration_seconds', ['verb']), '{{verb}}']],
        },
        {
          title: 'Resident memory of the operator',
          description: 'Grows with the number of objects.',
          unit: 'bytes',
          queries: [['process_resident_memory_bytes{component="operator"}', '{{instance}}']],
        },
        {
          title: 'Event loop lag p99',
          description: 'Above 0.2 s the operator has more to do than one thread can.',
          unit: 's',
          queries: [['nodejs_eventloop_lag_p99_seconds{component="operator"}', '{{instance}}']],
        },
      ],
    },
  ],
};
