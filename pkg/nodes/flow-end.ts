import { z } from 'zod';
import { defineNode } from './define.ts';

const config = z.strictObject({ reason: z.string().max(200).optional() });

/** Ends the run as completed. */
export const flowEnd = defineNode<z.infer<typeof config>>({
  nodeType: 'flow:end',
  kind: 'pure',
  what: 'Ends the run.',
  config,
  configHint: { reason: 'string?' },
  outcomes: [],
  defaultOutcome: null,
  step: (_input, given) => ({ kind: 'end', state: 'completed', reason: given.reason ?? 'reached the end' }),
});
