import { z } from 'zod';
import { defineNode } from './define.ts';

const config = z.strictObject({ maxSkills: z.int().min(1).max(5).default(3) });

/** Endorses skills of a connection that this account has not endorsed yet; one unit of the budget, however many skills. */
export const networkEndorse = defineNode<z.infer<typeof config>>({
  nodeType: 'network:endorse',
  kind: 'effect',
  what: 'Endorses skills of a connection.',
  config,
  configHint: { maxSkills: 'int 1..5, default 3' },
  outcomes: ['done', 'not_connected', 'failed'],
  defaultOutcome: 'done',
  budgets: () => ['endorse'],
  sendOnce: 'once_per_node',
  reviewable: false,
  channel: 'profile',
  precheck: ({ facts }) => {
    if (facts.connected) return null;
    return facts.connected === false || facts.requestedAt !== undefined ? 'not_connected' : null;
  },
  draft: () => null,
  details: (given) => ({ ...given }),
  usesAi: () => false,
  maxLength: null,
  confirmedOutcome: 'done',
  refusedOutcome: (kind) => (kind === 'not_connected' ? 'not_connected' : 'failed'),
});
