import { z } from 'zod';
import { NO_ANSWER } from '../domain/replied.ts';
import { REPLY_CLASSES } from '../domain/vocabulary.ts';
import { durationMs } from './config-parts.ts';
import { defineNode } from './define.ts';
import { heard, unheardReply } from './unheard-reply.ts';

const config = z.strictObject({
  timeoutMs: durationMs.default(259_200_000),
  continueOn: z
    .array(z.enum(REPLY_CLASSES))
    .max(REPLY_CLASSES.length)
    .default(() => [...NO_ANSWER]),
});

/** Waits for a reply that counts; classes in continueOn do not (out of office by default). */
export const networkWaitReply = defineNode<z.infer<typeof config>>({
  nodeType: 'network:wait_reply',
  kind: 'pure',
  what: 'Waits for a reply on the network.',
  config,
  configHint: {
    timeoutMs: 'int, default 259200000',
    continueOn: `reply classes that do not count as a reply, default [${NO_ANSWER.join(', ')}]`,
  },
  outcomes: ['replied', 'timed_out'],
  defaultOutcome: 'timed_out',
  step: (input, given) => {
    const reply = unheardReply(input.facts);
    if (reply && input.facts.replyChannel !== 'mail' && !given.continueOn.includes(reply)) return heard(input);
    const until = input.enteredAt + given.timeoutMs;
    return input.now >= until ? { kind: 'advance', outcome: 'timed_out' } : { kind: 'wait', reason: 'duration', until };
  },
});
