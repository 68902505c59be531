import { z } from 'zod';
import type { EventDefinition } from './event-definition.ts';
import { id, instant, OF_RUN, RUN_SAMPLE } from './ids.ts';

const scope = 'accounts:read';
const FREEZE = z.strictObject({
  scope: z.enum(['platform', 'workspace', 'account']),
  accountId: id.nullable(),
  channel: z.string().nullable(),
  until: instant.nullable(),
});
const FREEZE_SAMPLE = { scope: 'workspace', accountId: null, channel: null, until: null };
const ACCOUNT = { accountId: 'acc-1' };

/** What happens to accounts of the network and to mailboxes. */
export const ACCOUNT_EVENTS = {
  'account.status_changed': {
    says: 'An account can or cannot act any more.',
    deed: 'an account loses or gets back its session, is paused or resumed',
    scope,
    data: z.strictObject({ accountId: id, status: z.string(), was: z.string() }),
    sample: { ...ACCOUNT, status: 'credentials_expired', was: 'ok' },
  },
  'account.budget_exhausted': {
    says: 'A budget of an account is used up for today or this week.',
    deed: 'the last action of a budget is taken',
    scope,
    data: z.strictObject({ accountId: id, budget: z.string(), window: z.enum(['day', 'week']) }),
    sample: { ...ACCOUNT, budget: 'connection_request', window: 'day' },
  },
  'account.ramp_completed': {
    says: 'An account has its whole budgets.',
    deed: 'the ramp of an account ends',
    scope,
    data: z.strictObject({ accountId: id }),
    sample: ACCOUNT,
  },
  'warmup.ready': {
    says: 'A mailbox is warm.',
    deed: 'a mailbox that warms up becomes ready',
    scope,
    data: z.strictObject({ providerAccountId: id }),
    sample: { providerAccountId: 'mailbox-1' },
  },
  'send.frozen': {
    says: 'Nothing leaves any more, until the freeze is released.',
    deed: 'a send freeze is set',
    scope,
    data: FREEZE,
    sample: FREEZE_SAMPLE,
  },
  'send.released': {
    says: 'A send freeze was released.',
    deed: 'a send freeze is released',
    scope,
    data: FREEZE,
    sample: FREEZE_SAMPLE,
  },
  'dead_letter.opened': {
    says: 'Nobody knows whether something left, or it must not: a person decides.',
    deed: 'a send ends as a dead letter',
    scope,
    data: z.strictObject({ ...OF_RUN, sendId: id, accountId: id, action: z.string(), state: z.string() }),
    sample: {
      ...RUN_SAMPLE,
      ...ACCOUNT,
      sendId: '1a2b3c4d-0000-4000-8000-000000000001',
      action: 'message',
      state: 'unknown',
    },
  },
} as const satisfies Record<string, EventDefinition>;
