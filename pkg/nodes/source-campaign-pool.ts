import { z } from 'zod';
import { SCORE_MIN } from '../domain/campaign-defaults.ts';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({
  scoreMin: z.number().min(0).max(200).nullable().default(null),
  icpIds: z.array(recordId).min(1).max(50).nullable().default(null),
  maxPerDay: z.int().min(1).max(1000).default(25),
  order: z.enum(['score', 'newest']).default('score'),
  excludeContactedDays: z.int().min(0).max(3650).default(90),
});

/** Feeds the campaign's pool; scoreMin null is the campaign's own. */
export const sourceCampaignPool = defineNode<z.infer<typeof config>>({
  nodeType: 'source:campaign_pool',
  kind: 'source',
  what: 'Feeds leads whose total score is at least scoreMin, best first.',
  config,
  configHint: {
    scoreMin: `number 0..200, default: campaign setting (${SCORE_MIN})`,
    icpIds: 'string[]?',
    maxPerDay: 'int 1..1000, default 25',
    order: 'score|newest, default score',
    excludeContactedDays: 'int 0..3650, default 90',
  },
  outcomes: ['next'],
  defaultOutcome: 'next',
  feed: (given) => ({ from: 'campaign_pool', ...given }),
});
