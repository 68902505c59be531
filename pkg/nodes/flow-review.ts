import { z } from 'zod';
import { durationMs, recordId } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({
  expiresAfterMs: durationMs.min(60_000).optional(),
  onExpire: z.enum(['skip', 'stop', 'reject']).default('stop'),
  reviewerIds: z.array(recordId).min(1).max(50).optional(),
  instructions: z.string().max(2000).optional(),
});

/** Holds for a human decision; expiry never sends. */
export const flowReview = defineNode<z.infer<typeof config>>({
  nodeType: 'flow:review',
  kind: 'review',
  what: 'Holds for a human decision on the draft of the next send node.',
  config,
  configHint: {
    expiresAfterMs: 'int?, default: reviewExpiresAfterHours of the campaign (72 h; 0 = never)',
    onExpire: 'skip|stop|reject, default stop (never auto-send)',
    reviewerIds: 'string[]? - members who are told of each draft',
    instructions: 'string? - what they are told',
  },
  outcomes: ['approved', 'rejected', 'expired'],
  defaultOutcome: 'approved',
  expiresAfterMs: (given) => given.expiresAfterMs,
  reviewers: (given) => ({ memberIds: given.reviewerIds ?? [], instructions: given.instructions ?? '' }),
  onExpire: (given) => given.onExpire,
});
