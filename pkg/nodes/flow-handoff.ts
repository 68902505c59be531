import { z } from 'zod';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({ workflowId: recordId });

/** Enrols the lead in another workflow of the workspace; account, contact claim and history go over with it. */
export const flowHandoff = defineNode<z.infer<typeof config>>({
  nodeType: 'flow:handoff',
  kind: 'handoff',
  what: 'Ends here and enrols the lead in another workflow of the workspace.',
  config,
  configHint: { workflowId: 'string!' },
  outcomes: ['done', 'refused'],
  defaultOutcome: 'done',
  workflowId: (given) => given.workflowId,
});
