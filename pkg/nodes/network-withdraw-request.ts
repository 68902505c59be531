import { z } from 'zod';
import { DAY_MS } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({ olderThanDays: z.int().min(0).max(365).default(21) });

/** Withdraws a pending request once it is old enough; a run that comes early waits for the day. */
export const networkWithdrawRequest = defineNode<z.infer<typeof config>>({
  nodeType: 'network:withdraw_request',
  kind: 'effect',
  what: 'Withdraws a pending request.',
  config,
  configHint: { olderThanDays: 'int, default 21' },
  outcomes: ['done', 'not_pending', 'failed'],
  defaultOutcome: 'done',
  budgets: () => ['withdraw_request'],
  sendOnce: 'once_per_node',
  reviewable: false,
  channel: 'profile',
  precheck: (input) => {
    if (input.facts.connected || input.facts.requestedAt === undefined) return 'not_pending';
    return null;
  },
  notBefore: (input, given) => {
    const due = (input.facts.requestedAt ?? input.now) + given.olderThanDays * DAY_MS;
    return due > input.now ? due : null;
  },
  draft: () => null,
  usesAi: () => false,
  maxLength: null,
  confirmedOutcome: 'done',
  refusedOutcome: (kind) => (kind === 'not_pending' || kind === 'already_connected' ? 'not_pending' : 'failed'),
});
