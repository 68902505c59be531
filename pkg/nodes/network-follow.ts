import { z } from 'zod';
import { defineNode } from './define.ts';

const config = z.strictObject({ target: z.enum(['person', 'company']).default('person') });

/** Follows the person or the company page; a provider that documents no such call refuses it as unsupported. */
export const networkFollow = defineNode<z.infer<typeof config>>({
  nodeType: 'network:follow',
  kind: 'effect',
  what: 'Follows the person (or the company page).',
  config,
  configHint: { target: 'person|company, default person' },
  outcomes: ['done', 'already', 'failed'],
  defaultOutcome: 'done',
  budgets: () => ['follow'],
  sendOnce: 'once_per_node',
  reviewable: false,
  channel: 'profile',
  precheck: () => null,
  draft: () => null,
  usesAi: () => false,
  maxLength: null,
  confirmedOutcome: 'done',
  refusedOutcome: (kind) => (kind === 'already_pending' ? 'already' : 'failed'),
});
