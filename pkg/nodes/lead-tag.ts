import { z } from 'zod';
import { defineNode } from './define.ts';

const tags = z.array(z.string().min(1).max(60)).max(50).default([]);
const config = z
  .strictObject({ add: tags, remove: tags })
  .refine((given) => given.add.length + given.remove.length > 0, { message: 'add or remove at least one tag' });

/** Adds or removes tags. */
export const leadTag = defineNode<z.infer<typeof config>>({
  nodeType: 'lead:tag',
  kind: 'pure',
  what: 'Adds or removes tags of this workspace.',
  config,
  configHint: { add: 'string[]', remove: 'string[]' },
  outcomes: ['next'],
  defaultOutcome: 'next',
  step: (_input, given) => ({
    kind: 'advance',
    outcome: 'next',
    writes: [{ type: 'tag', add: given.add, remove: given.remove }],
  }),
});
