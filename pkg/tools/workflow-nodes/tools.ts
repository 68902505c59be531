import { getWorkflowNodeTypes } from './get-workflow-node-types.ts';

export const workflowNodeTools = [getWorkflowNodeTypes];
