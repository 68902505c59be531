import { addWorkflowNode } from './add-workflow-node.ts';
import { getWorkflowNodeTypes } from './get-workflow-node-types.ts';
import { removeWorkflowNode } from './remove-workflow-node.ts';
import { updateWorkflowNode } from './update-workflow-node.ts';

export const workflowNodeTools = [getWorkflowNodeTypes, addWorkflowNode, updateWorkflowNode, removeWorkflowNode];
