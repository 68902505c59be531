import { createWorkflow } from './create-workflow.ts';
import { deleteWorkflow } from './delete-workflow.ts';
import { duplicateWorkflow } from './duplicate-workflow.ts';
import { getWorkflow } from './get-workflow.ts';
import { listWorkflows } from './list-workflows.ts';
import { updateWorkflow } from './update-workflow.ts';
import { updateWorkflowStatus } from './update-workflow-status.ts';
import { validateWorkflow } from './validate-workflow.ts';

export const workflowTools = [
  listWorkflows,
  getWorkflow,
  createWorkflow,
  updateWorkflow,
  deleteWorkflow,
  duplicateWorkflow,
  updateWorkflowStatus,
  validateWorkflow,
];
