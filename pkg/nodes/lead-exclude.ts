import { z } from 'zod';
import { EXCLUSION_REACHES } from '../domain/suppression.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({
  appliesTo: z.enum(EXCLUSION_REACHES).default('all_outreach'),
  reason: z.string().max(200).optional(),
});

/** Adds an exclusion and ends the run. */
export const leadExclude = defineNode<z.infer<typeof config>>({
  nodeType: 'lead:exclude',
  kind: 'pure',
  what: 'Adds an exclusion and ends the run.',
  config,
  configHint: { appliesTo: 'signals|all_outreach, default all_outreach', reason: 'string?' },
  outcomes: [],
  defaultOutcome: null,
  step: (_input, given) => {
    const reason = given.reason ?? 'excluded by the workflow';
    return {
      kind: 'end',
      state: given.appliesTo === 'all_outreach' ? 'suppressed' : 'completed',
      reason,
      writes: [{ type: 'exclude', appliesTo: given.appliesTo, reason }],
    };
  },
});
