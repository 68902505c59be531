import { seedOf } from '../domain/text-variant.ts';
import type { StepInput } from './node-type.ts';

/** How often a person had the text of this node written anew. */
export function timesRejected({ node, facts }: StepInput): number {
  return facts.redrafts?.[node.nodeId]?.times ?? 0;
}

/** What the built-in writer chooses its words by: the same in every try, others once a person rejected them. */
export function textSeed(input: StepInput): string {
  return seedOf(input.runId, input.node.nodeId, timesRejected(input));
}
