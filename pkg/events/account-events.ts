import { z } from 'zod';
import type { EventDefinition } from './event-definition.ts';
import { id } from './ids.ts';

const scope = 'accounts:read';
const account = { networkAccountId: id.nullable(), providerAccountId: id.nullable() };
const NETWORK = { networkAccountId: 'acc-1', providerAccountId: null };

/** What happens to accounts of the network and to mailboxes. */
export const ACCOUNT_EVENTS = {
  'account.status_changed': {
    says: 'An account can or cannot act any more.',
    deed: 'an account loses or gets back its session, is paused or resumed',
    scope,
    data: z.strictObject({ ...account, status: z.string(), was: z.string() }),
    sample: { ...NETWORK, status: 'needs_reauth', was: 'ok' },
  },
  'account.budget_exhausted': {
    says: 'A budget of an account is used up for today or this week.',
    deed: 'the last action of a budget is taken',
    scope,
    data: z.strictObject({ ...account, budget: z.string(), window: z.enum(['day', 'week']) }),
    sample: { ...NETWORK, budget: 'connection_request', window: 'day' },
  },
  'account.ramp_completed': {
    says: 'An account has its whole budgets.',
    deed: 'the ramp of an account ends',
    scope,
    data: z.strictObject({ ...account }),
    sample: NETWORK,
  },
  'warmup.ready': {
    says: 'A mailbox is warm.',
    deed: 'a warm-up ends',
    scope,
    data: z.strictObject({ providerAccountId: id }),
    sample: { providerAccountId: 'mailbox-1' },
    later: true,
  },
  'send.frozen': {
    says: 'Nothing leaves any more, until the freeze is released.',
    deed: 'a send freeze is set',
    scope,
    data: z.strictObject({ ...account, scope: z.string(), reason: z.string() }),
    sample: { networkAccountId: null, providerAccountId: null, scope: 'workspace', reason: 'complaints' },
  },
  'send.released': {
    says: 'A send freeze was released.',
    deed: 'a send freeze is released',
    scope,
    data: z.strictObject({ ...account, scope: z.string(), reason: z.string() }),
    sample: { networkAccountId: null, providerAccountId: null, scope: 'workspace', reason: 'mended' },
  },
  'dead_letter.opened': {
    says: 'Nobody knows whether something left, or it must not: a person decides.',
    deed: 'a send ends as a dead letter',
    scope,
    data: z.strictObject({ ...account, sendId: id, leadId: id.nullable(), action: z.string(), reason: z.string() }),
    sample: {
      ...NETWORK,
      sendId: '1a2b3c4d-0000-4000-8000-000000000001',
      leadId: '6f1d7a52-0c38-4b5e-9f0e-3b8a5d2c7e11',
      action: 'message',
      reason: 'the answer was lost and both look-ups failed',
    },
  },
} as const satisfies Record<string, EventDefinition>;
