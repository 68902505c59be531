import { z } from 'zod';
import { defineNode } from './define.ts';

/** Catalog `defaults.score.scoreMin`. */
const DEFAULT_SCORE_MIN = 50;
const config = z.strictObject({ scoreMin: z.number().min(0).max(200).optional() });

/** Rescores the lead now; without a scoreMin the campaign's counts. */
export const leadScore = defineNode<z.infer<typeof config>>({
  nodeType: 'lead:score',
  kind: 'pure',
  what: 'Rescores now; branches on scoreMin.',
  config,
  configHint: { scoreMin: 'number?, default: campaign setting (50)' },
  outcomes: ['above', 'below'],
  defaultOutcome: 'above',
  step: (input, given) => {
    const score = input.rescore();
    const limit = given.scoreMin ?? input.campaignScoreMin ?? DEFAULT_SCORE_MIN;
    return {
      kind: 'advance',
      outcome: score.total >= limit ? 'above' : 'below',
      writes: [{ type: 'score', ...score }],
    };
  },
});
