import { z } from 'zod';
import { REPLY_CLASSES } from '../domain/vocabulary.ts';
import type { EventDefinition } from './event-definition.ts';
import { id, instant, OF_RUN, RUN_SAMPLE } from './ids.ts';

const scope = 'inbox:read';
/** What is done for a lead, in a run or by itself: then it names the lead alone. */
const OF_SEND = {
  leadId: id.nullable(),
  runId: id.nullable(),
  workflowId: id.nullable(),
  campaignId: id.nullable(),
  nodeId: id.nullable(),
};
const account = { networkAccountId: id.nullable(), providerAccountId: id.nullable() };
const NETWORK = { networkAccountId: 'acc-1', providerAccountId: null };
const MAIL = { networkAccountId: null, providerAccountId: 'mailbox-1' };

/** What leaves, and what comes back. */
export const MESSAGE_EVENTS = {
  'message.sent': {
    says: 'A message left.',
    deed: 'a message is confirmed',
    scope,
    data: z.strictObject({ ...OF_SEND, ...account, action: z.string() }),
    sample: { ...RUN_SAMPLE, ...NETWORK, action: 'message' },
  },
  'message.failed': {
    says: 'A message was refused for good.',
    deed: 'a message fails for good',
    scope,
    data: z.strictObject({ ...OF_SEND, ...account, action: z.string(), reason: z.string() }),
    sample: { ...RUN_SAMPLE, ...NETWORK, action: 'message', reason: 'the person takes no messages' },
  },
  'connection.requested': {
    says: 'A connection request left.',
    deed: 'a connection request is confirmed',
    scope,
    data: z.strictObject({ ...OF_SEND, ...account, action: z.string() }),
    sample: { ...RUN_SAMPLE, ...NETWORK, action: 'connection_request' },
  },
  'connection.accepted': {
    says: 'A person accepted a connection request.',
    deed: 'a request is accepted',
    scope,
    data: z.strictObject({ ...OF_RUN, ...account }),
    sample: { ...RUN_SAMPLE, ...NETWORK },
  },
  'connection.withdrawn': {
    says: 'A connection request was taken back.',
    deed: 'a request is withdrawn',
    scope,
    data: z.strictObject({ ...OF_SEND, ...account, action: z.string() }),
    sample: { ...RUN_SAMPLE, ...NETWORK, action: 'withdraw_request' },
  },
  'reply.received': {
    says: 'A person answered.',
    deed: 'an answer comes by the network or by mail',
    scope,
    data: z.strictObject({ ...OF_RUN, ...account, channel: z.enum(['network', 'mail']), class: z.enum(REPLY_CLASSES) }),
    sample: { ...RUN_SAMPLE, ...NETWORK, channel: 'network', class: 'positive' },
  },
  'reply.classified': {
    says: 'The class of an answer was set or changed.',
    deed: 'a person or a model classes an answer',
    scope,
    data: z.strictObject({ leadId: id, conversationId: id, class: z.enum(REPLY_CLASSES) }),
    sample: { leadId: RUN_SAMPLE.leadId, conversationId: 'conv-1', class: 'negative' },
  },
  'unsubscribe.received': {
    says: 'A person does not want to be written to.',
    deed: 'a person unsubscribes by link, by reply or by header',
    scope,
    data: z.strictObject({ ...OF_RUN, by: z.string() }),
    sample: { ...RUN_SAMPLE, by: 'a reply' },
  },
  'mail.bounced': {
    says: 'A mail came back.',
    deed: 'a mail comes back',
    scope,
    data: z.strictObject({ ...OF_RUN, ...account, kind: z.string() }),
    sample: { ...RUN_SAMPLE, ...MAIL, kind: 'hard' },
  },
  'mail.complained': {
    says: 'A person called a mail spam.',
    deed: 'a complaint comes in',
    scope,
    data: z.strictObject({ ...OF_RUN, by: z.string() }),
    sample: { ...RUN_SAMPLE, by: 'feedback loop' },
  },
  'meeting.created': {
    says: 'A meeting was arranged.',
    deed: 'a meeting is booked',
    scope,
    data: z.strictObject({ leadId: id.nullable(), meetingId: id, startsAt: instant }),
    sample: { leadId: RUN_SAMPLE.leadId, meetingId: 'meet-1', startsAt: 1_796_000_000_000 },
  },
  'meeting.cancelled': {
    says: 'A meeting was cancelled.',
    deed: 'a meeting is cancelled',
    scope,
    data: z.strictObject({ leadId: id.nullable(), meetingId: id }),
    sample: { leadId: RUN_SAMPLE.leadId, meetingId: 'meet-1' },
  },
} as const satisfies Record<string, EventDefinition>;
