import { z } from 'zod';
import { isAnswer } from '../domain/replied.ts';
import { durationMs } from './config-parts.ts';
import { defineNode } from './define.ts';
import { heard, unheardReply } from './unheard-reply.ts';

const config = z.strictObject({ timeoutMs: durationMs.default(259_200_000) });

/** Waits for an answer by mail; a notice of absence is none. */
export const mailWaitReply = defineNode<z.infer<typeof config>>({
  nodeType: 'mail:wait_reply',
  kind: 'pure',
  what: "Waits for a mail reply, from any address in the thread or the lead's domain answering it.",
  config,
  configHint: { timeoutMs: 'int, default 259200000' },
  outcomes: ['replied', 'bounced', 'timed_out'],
  defaultOutcome: 'timed_out',
  step: (input, given) => {
    const { replyChannel, mailBounced } = input.facts;
    const reply = unheardReply(input.facts);
    if (reply && replyChannel === 'mail' && isAnswer(reply)) return heard(input);
    if (mailBounced) return { kind: 'advance', outcome: 'bounced' };
    const until = input.enteredAt + given.timeoutMs;
    return input.now >= until ? { kind: 'advance', outcome: 'timed_out' } : { kind: 'wait', reason: 'duration', until };
  },
});
