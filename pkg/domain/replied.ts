import type { ReplyClass } from './vocabulary.ts';

/**
 * Who has replied. A notice of absence is no answer: the person has not read what was sent. Split tests, conditions,
 * figures and the ledger judge by this one rule; `make generate` writes app.is_answer and app.has_replied from it.
 */

/** Classes of inbound messages that do not count as a reply. */
export const NO_ANSWER: readonly ReplyClass[] = ['out_of_office'];

/**
 * Classes of an answer after which nobody is written to again by itself: who said no, and who said what nobody understood. A person
 * decides about them. "unsubscribe" bars for good.
 */
export const WAITS_FOR_PERSON: readonly ReplyClass[] = ['negative', 'unclassified'];

/** Whether an inbound message of this class counts as a reply; one that nobody has classified does. */
export function isAnswer(replyClass: ReplyClass | undefined): boolean {
  return replyClass === undefined || !NO_ANSWER.includes(replyClass);
}

/** Whether the person of a run has replied, by what the run knows. */
export function hasReplied(facts: { replied?: boolean; replyClass?: ReplyClass }): boolean {
  return facts.replied === true && isAnswer(facts.replyClass);
}
