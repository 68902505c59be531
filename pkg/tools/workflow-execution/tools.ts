import { controlWorkflowRuns } from './control-workflow-runs.ts';
import { getWorkflowRun } from './get-workflow-run.ts';
import { getWorkflowStats } from './get-workflow-stats.ts';
import { listLeadsAtNode } from './list-leads-at-node.ts';
import { listWorkflowRuns } from './list-workflow-runs.ts';
import { triggerWorkflow } from './trigger-workflow.ts';

export const workflowExecutionTools = [
  triggerWorkflow,
  getWorkflowStats,
  listLeadsAtNode,
  listWorkflowRuns,
  getWorkflowRun,
  controlWorkflowRuns,
];
