import type { ReplyClass } from '../domain/vocabulary.ts';
import type { RunFacts, StepInput, StepResult } from './node-type.ts';

/** The class of a reply that no wait of this run has heard yet; null: none. */
export function unheardReply(facts: RunFacts): ReplyClass | null {
  const { replied, replyClass = 'unclassified', lastReplyAt = 0, heardAt, awayUntil } = facts;
  if (!replied) return null;
  if (heardAt === undefined) return replyClass;
  if (lastReplyAt <= heardAt) return null;
  // A notice of absence leaves the class of the answer before it.
  return awayUntil === undefined ? replyClass : 'out_of_office';
}

/** The wait is over; what it heard is no news to the next one. */
export function heard({ facts, now }: StepInput): StepResult {
  return { kind: 'advance', outcome: 'replied', facts: { heardAt: facts.lastReplyAt ?? now } };
}
