import type { CompiledNode } from '../../domain/graph.ts';
import type { CallAsk } from '../../nodes/call-ask.ts';
import type { CallNode } from '../../nodes/node-type.ts';
import type { CallRequest } from '../../store/calls/node-calls.ts';

/** A wish to ask outside, made by a walk. */
export type CallToMake = { type: CallNode<never>; node: CompiledNode; ask: CallAsk } & (
  | { job: 'perform'; request: CallRequest }
  | { job: 'look_up' | 'look_up_last'; callId: string }
);
