import { z } from 'zod';
import { REACTIONS } from '../providers/network/network-provider.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({
  reaction: z.enum(REACTIONS).default('like'),
  maxPostAgeDays: z.int().min(1).max(365).default(30),
});

/** Reacts to the person's newest post that is young enough. Harmless: nobody is hurt by a reaction that may be missing. */
export const networkLikePost = defineNode<z.infer<typeof config>>({
  nodeType: 'network:like_post',
  kind: 'effect',
  what: 'Reacts to the latest suitable post.',
  config,
  configHint: { reaction: REACTIONS.join('|'), maxPostAgeDays: 'int, default 30' },
  outcomes: ['done', 'no_post', 'failed'],
  defaultOutcome: 'done',
  budgets: () => ['like'],
  sendOnce: 'once_per_node',
  reviewable: false,
  channel: 'profile',
  precheck: () => null,
  draft: () => null,
  details: (given) => ({ ...given }),
  usesAi: () => false,
  maxLength: null,
  confirmedOutcome: 'done',
  refusedOutcome: (kind) => (kind === 'no_post' ? 'no_post' : 'failed'),
});
