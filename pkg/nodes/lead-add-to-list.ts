import { z } from 'zod';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({ leadListId: recordId });

/** Adds to a static list. */
export const leadAddToList = defineNode<z.infer<typeof config>>({
  nodeType: 'lead:add_to_list',
  kind: 'pure',
  what: 'Adds to a static list.',
  config,
  configHint: { leadListId: 'string!' },
  outcomes: ['next'],
  defaultOutcome: 'next',
  step: (_input, given) => ({
    kind: 'advance',
    outcome: 'next',
    writes: [{ type: 'add_to_list', leadListId: given.leadListId }],
  }),
});
