import { z } from 'zod';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';

const config = z.strictObject({ signalAgentId: recordId.nullable().default(null) });

/** Feeds what a signal agent found; how much that is a day, the agent's own limits say. */
export const sourceSignalAgent = defineNode<z.infer<typeof config>>({
  nodeType: 'source:signal_agent',
  kind: 'source',
  what: 'Feeds what a signal agent enqueues.',
  config,
  configHint: { signalAgentId: 'string? (absent: any agent of the workspace)' },
  outcomes: ['next'],
  defaultOutcome: 'next',
  feed: (given) => ({ from: 'signal_agent', signalAgentId: given.signalAgentId, maxPerDay: 1_000 }),
});
