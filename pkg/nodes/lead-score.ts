import { z } from 'zod';
import { SCORE_MIN } from '../domain/campaign-defaults.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({ scoreMin: z.number().min(0).max(200).optional() });

/** Rescores the lead now; without a scoreMin the campaign's counts. */
export const leadScore = defineNode<z.infer<typeof config>>({
  nodeType: 'lead:score',
  kind: 'pure',
  what: 'Rescores now; branches on scoreMin.',
  config,
  configHint: { scoreMin: `number?, default: campaign setting (${SCORE_MIN})` },
  outcomes: ['above', 'below'],
  defaultOutcome: 'above',
  step: (input, given) => {
    const score = input.rescore();
    const limit = given.scoreMin ?? input.campaignScoreMin ?? SCORE_MIN;
    return {
      kind: 'advance',
      outcome: score.total >= limit ? 'above' : 'below',
      writes: [{ type: 'score', ...score }],
    };
  },
});
