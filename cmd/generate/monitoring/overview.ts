import type { Dashboard } from './dashboard.ts';
import { quantile, rate } from './quantile.ts';

/** What people feel, and whether anything stands still. */
export const OVERVIEW: Dashboard = {
  name: 'overview',
  title: 'Outrider / Overview',
  description: 'Service levels and what needs a person. Begin here.',
  rows: [
    {
      title: 'Service levels',
      panels: [
        {
          title: 'Calls without a fault, 1 h',
          description: 'Objective: 99.9 %. Refusals by limits, scopes or validation are no faults.',
          unit: 'percentunit',
          stat: true,
          queries: [['1 - outrider:mcp_errors:ratio_rate1h', 'ok {{namespace}}']],
        },
        {
          title: 'Reads and writes within 0.5 s, 1 h',
          description: 'Objective: 99 %.',
          unit: 'percentunit',
          stat: true,
          queries: [['1 - outrider:mcp_slow:ratio_rate1h', 'fast {{namespace}}']],
        },
        {
          title: 'Batches begun within 60 s of being due, 1 h',
          description: 'Objective: 99 %, in product time: a lead that is due waits no longer than this.',
          unit: 'percentunit',
          stat: true,
          queries: [['1 - outrider:step_lag:ratio_rate1h', 'on time {{namespace}}']],
        },
        {
          title: 'Leader',
          description: 'Exactly 1. Without a leader no executor starts; campaigns under way go on.',
          unit: 'short',
          stat: true,
          queries: [['sum(leader_election_master_status{name="outrider-operator"})', 'leaders']],
        },
      ],
    },
    {
      title: 'Needs a person',
      panels: [
        {
          title: 'Sends frozen',
          description: 'Freezes in force by scope. platform: nothing leaves at all.',
          unit: 'short',
          queries: [['max by (scope) (outrider_send_freezes)', '{{scope}}']],
        },
        {
          title: 'Dead letters and unknown outcomes',
          description: 'Dead letters wait for a platform admin; unknown outcomes are still being looked up.',
          unit: 'short',
          queries: [
            ['sum(max by (action) (outrider_dead_letters_open)) or vector(0)', 'dead letters'],
            ['sum(max by (action) (outrider_sends_unknown)) or vector(0)', 'unknown'],
          ],
        },
        {
          title: 'Stalled resources',
          description: 'Their owner must change something; the condition says what.',
          unit: 'short',
          queries: [['max by (kind) (outrider_resources_stalled)', '{{kind}}']],
        },
        {
          title: 'Accounts by status',
          description: 'checkpoint, credentials_expired, restricted and disconnected need the owner of the account.',
          unit: 'short',
          queries: [['max by (status) (outrider_network_accounts)', '{{status}}']],
        },
        {
          title: 'Accounts that are not read',
          description: 'Their replies are not seen: account sync does not come to them, or each look at them fails.',
          unit: 'short',
          queries: [['max by (kind) (outrider_accounts_unread)', '{{kind}}']],
        },
      ],
    },
    {
      title: 'Traffic',
      panels: [
        {
          title: 'Tool calls by result',
          description: 'Calls per second. fault is ours, refused is the caller’s.',
          unit: 'reqps',
          queries: [[rate('outrider_mcp_tool_calls_total', ['result']), '{{result}}']],
        },
        {
          title: 'Sends by state',
          description: 'What the executors moved in the ledger, per second.',
          unit: 'ops',
          queries: [[rate('outrider_sends_total', ['state']), '{{state}}']],
        },
        {
          title: 'Step lag',
          description: 'Product time between due and begun.',
          unit: 's',
          queries: [
            [quantile(0.5, 'outrider_step_lag_seconds'), 'p50'],
            [quantile(0.99, 'outrider_step_lag_seconds'), 'p99'],
          ],
        },
        {
          title: 'Workspaces by executor',
          description: 'Only active workspaces have a pod.',
          unit: 'short',
          queries: [['max by (state) (outrider_executors)', '{{state}}']],
        },
      ],
    },
    {
      title: 'Versions',
      panels: [
        {
          title: 'Processes by version',
          description: 'More than one version for longer than an upgrade takes is a stuck roll-out.',
          unit: 'short',
          queries: [['count by (version, component) (outrider_build_info)', '{{component}} {{version}}']],
        },
        {
          title: 'Custom resources',
          description: 'Objects by kind and readiness.',
          unit: 'short',
          queries: [['max by (kind, ready) (outrider_resources)', '{{kind}} ready={{ready}}']],
        },
      ],
    },
  ],
};
