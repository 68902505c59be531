import { z } from 'zod';
import { REPLY_CLASSES } from '../domain/vocabulary.ts';
import { type NoConfig, noConfig } from './config-parts.ts';
import { defineNode } from './define.ts';

const outcomes = ['positive', 'neutral', 'negative', 'out_of_office', 'unsubscribe', 'referral'] as const;
const replyClass = z.enum(REPLY_CLASSES).exclude(['unclassified']);

/** Classifies the latest reply of the person; a wish to be left alone holds in every workspace of the account that heard it. */
export const aiClassifyReply = defineNode<NoConfig>({
  nodeType: 'ai:classify_reply',
  kind: 'call',
  what: 'Classifies the latest reply.',
  config: noConfig,
  configHint: {},
  outcomes,
  defaultOutcome: 'neutral',
  budget: null,
  billable: 'ai_classify',
  repeatable: true,
  outward: null,
  // Each visit reads the reply that is the latest then.
  onceKey: (input) => `classify:${input.runId}:${input.node.nodeId}:${input.enteredAt}`,
  ask: () => ({ call: 'classify' }),
  price: () => null,
  noCreditsOutcome: null,
  seenOutcome: null,
  failedOutcome: 'neutral',
  take: (outcome, data) => {
    const found = replyClass.safeParse(data['replyClass']);
    const facts = found.success ? { replyClass: found.data } : {};
    if (outcome !== 'unsubscribe') return { facts };
    const { accountId } = data;
    const heardBy = typeof accountId === 'string' ? accountId : null;
    return { facts, writes: [{ type: 'wish', reason: 'asked to be left alone in a reply', heardBy }] };
  },
});
