import type { Dashboard } from './dashboard.ts';
import { quantile, rate } from './quantile.ts';

/** Postgres and Redis as the product feels them: utilisation, saturation, errors. */
export const DATABASES: Dashboard = {
  name: 'databases',
  title: 'Outrider / Postgres and Redis',
  description: 'Utilisation, saturation and errors of what is underneath, as seen by its clients.',
  rows: [
    {
      title: 'Utilisation',
      panels: [
        {
          title: 'Connections in use',
          description: 'Share of each pool. Executors have two connections each.',
          unit: 'percentunit',
          queries: [['max by (pool) (outrider_db_pool_in_use / outrider_db_pool_max)', '{{pool}}']],
        },
        {
          title: 'Connections at most',
          description: 'Sum of all pools: what max_connections, or the pooler in between, must hold.',
          unit: 'short',
          queries: [['sum by (pool) (outrider_db_pool_max)', '{{pool}}']],
        },
        {
          title: 'Batches of executors, p99',
          description: 'Nearly all of it is time of the database.',
          unit: 's',
          queries: [[quantile(0.99, 'outrider_batch_duration_seconds'), 'p99']],
        },
      ],
    },
    {
      title: 'Saturation',
      panels: [
        {
          title: 'Transactions that wait for a connection',
          description: 'Above 0 for minutes: a pool too small or a database too slow.',
          unit: 'short',
          queries: [['sum by (pool) (outrider_db_pool_waiting)', '{{pool}}']],
        },
        {
          title: 'Reads of tools, p99',
          description: 'A slow database shows here first.',
          unit: 's',
          queries: [[quantile(0.99, 'outrider_mcp_tool_duration_seconds', [], '{category="read"}'), 'p99']],
        },
      ],
    },
    {
      title: 'Errors',
      panels: [
        {
          title: 'Polls for due work that failed',
          description: 'Per second; the leader asks the database once a second.',
          unit: 'ops',
          queries: [[rate('outrider_wake_poll_errors_total'), 'failed polls']],
        },
        {
          title: 'Last reading of the fleet',
          description: 'Age of the figures that the leader reads from Postgres every five seconds.',
          unit: 's',
          queries: [['time() - max(outrider_fleet_measured_timestamp_seconds)', 'age']],
        },
        {
          title: 'Redis counts calls',
          description: '0: Postgres does in its place. No series: there is no Redis.',
          unit: 'short',
          queries: [['min by (use) (outrider_redis_up)', '{{use}}']],
        },
      ],
    },
  ],
};
