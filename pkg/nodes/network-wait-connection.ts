import { z } from 'zod';
import { durationMs } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({ timeoutMs: durationMs.default(1_209_600_000) });

/** Waits for the acceptance event or the timeout, counted from the arrival at this node. */
export const networkWaitConnection = defineNode<z.infer<typeof config>>({
  nodeType: 'network:wait_connection',
  kind: 'pure',
  what: 'Waits until the request is accepted.',
  config,
  configHint: { timeoutMs: 'int, default 1209600000' },
  outcomes: ['accepted', 'timed_out'],
  defaultOutcome: 'accepted',
  step: (input, given) => {
    if (input.facts.connected) return { kind: 'advance', outcome: 'accepted' };
    const until = input.enteredAt + given.timeoutMs;
    return input.now >= until ? { kind: 'advance', outcome: 'timed_out' } : { kind: 'wait', reason: 'duration', until };
  },
});
