import type { Dashboard } from './dashboard.ts';
import { quantile, rate } from './quantile.ts';

const OF = '{workspace="$workspace"}';

/** One workspace, from the series of its executor; they disappear with the pod. */
export const TENANT: Dashboard = {
  name: 'tenant',
  title: 'Outrider / Workspace',
  description: 'One workspace while it is awake: the series come from its executor and go with it.',
  variables: [
    { name: 'workspace', label: 'Workspace', query: 'label_values(outrider_workflow_steps_total, workspace)' },
  ],
  rows: [
    {
      title: 'Work',
      panels: [
        {
          title: 'Steps by node type',
          description: 'Per second.',
          unit: 'ops',
          queries: [[rate('outrider_workflow_steps_total', ['node_type'], OF), '{{node_type}}']],
        },
        {
          title: 'Step lag',
          description: 'Product time between due and begun.',
          unit: 's',
          queries: [
            [quantile(0.5, 'outrider_step_lag_seconds', [], OF), 'p50'],
            [quantile(0.99, 'outrider_step_lag_seconds', [], OF), 'p99'],
          ],
        },
        {
          title: 'Sends',
          description: 'By action and state of the ledger, in the last hour.',
          unit: 'short',
          queries: [[`sum by (action, state) (increase(outrider_sends_total${OF}[1h]))`, '{{action}} {{state}}']],
        },
      ],
    },
    {
      title: 'Limits',
      panels: [
        {
          title: 'Budget left today',
          description: 'Of the accounts that are linked to the workspace; they may be shared with others.',
          unit: 'short',
          queries: [[`min by (account, action) (outrider_budget_remaining${OF})`, '{{account}} {{action}}']],
        },
        {
          title: 'Outcomes not known yet',
          description: 'They are looked up; what stays ambiguous becomes a dead letter.',
          unit: 'short',
          queries: [[`max(outrider_unknown_outcomes${OF})`, 'unknown']],
        },
      ],
    },
    {
      title: 'Executor',
      panels: [
        {
          title: 'Resident memory',
          description: 'Its pod is limited to 256 MiB unless the Workspace says otherwise.',
          unit: 'bytes',
          queries: [[`process_resident_memory_bytes${OF}`, '{{pod}}']],
        },
        {
          title: 'CPU',
          description: 'Cores in use.',
          unit: 'short',
          queries: [[`rate(process_cpu_seconds_total${OF}[$__rate_interval])`, '{{pod}}']],
        },
        {
          title: 'Answers of the provider, p99',
          description: 'Real time by action.',
          unit: 's',
          queries: [[quantile(0.99, 'outrider_effect_duration_seconds', ['action'], OF), '{{action}}']],
        },
      ],
    },
  ],
};
