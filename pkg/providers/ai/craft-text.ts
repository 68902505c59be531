import { createHash } from 'node:crypto';
import { usableText } from '../../base/usable-text.ts';
import type { CraftFailure, CraftOrder, CraftResult, Draft } from '../../domain/craft/craft-order.ts';
import { judgeDraft, type Verdict } from '../../domain/craft/judge-draft.ts';
import type { WritingFact } from '../../domain/craft/writing-fact.ts';

/** A draft of a writer, or why it handed in none. */
export type Drafted =
  | { draft: Draft; secrets: readonly string[] }
  | { failure: CraftFailure; reason: string }
  | { none: string };

/** A writer of drafts. */
export interface Drafter {
  /** How often it is asked for one text: a second time it is told what was wrong with the first. */
  tries: number;
  /** @param complaint what was wrong with the draft before, '' at first */
  draft(order: CraftOrder, complaint: string, signal: AbortSignal): Promise<Drafted>;
}

/**
 * The one way to a text, of tools and of workflows: enough facts, a draft, the rules' verdict. No writer is believed in anything.
 * @throws CallError when the writer can't be asked now
 */
export async function craftText(drafter: Drafter, order: CraftOrder, signal: AbortSignal): Promise<CraftResult> {
  const { facts, requireFacts, language } = order;
  const known = facts.filter(({ source }) => source !== 'conversation:out').length;
  if (known < requireFacts) {
    return { kind: 'no_facts', reason: `${known} facts on record, ${requireFacts} required` };
  }
  let complaint = '';
  let last: CraftResult = { kind: 'no_facts', reason: `no text with ${requireFacts} facts came about` };
  for (let attempt = 0; attempt < drafter.tries; attempt++) {
    const drafted = await drafter.draft(order, complaint, signal);
    if ('none' in drafted) return { kind: 'no_facts', reason: drafted.none };
    if ('failure' in drafted) {
      last = { kind: 'failed', ...drafted };
      complaint = `Your last answer was of no use: ${drafted.reason}.`;
      continue;
    }
    const verdict = judgeDraft(order, usable(drafted.draft), drafted.secrets);
    if (verdict.kind === 'passes') return { kind: 'written', text: textOf(verdict, language) };
    last = resultOf(verdict, requireFacts);
    complaint = complaintOf(verdict, order);
  }
  return last;
}

function usable({ subject, segments }: Draft): Draft {
  const clean = <T extends { text: string }>(part: T): T => ({ ...part, text: usableText(part.text) });
  return { subject: subject ? clean(subject) : null, segments: segments.map(clean) };
}

function resultOf(verdict: Exclude<Verdict, { kind: 'passes' }>, required: number): CraftResult {
  if (verdict.kind === 'fails') return { kind: 'failed', failure: verdict.failure, reason: verdict.reason };
  return { kind: 'no_facts', reason: `the text states ${verdict.stated} facts, ${required} required` };
}

/** What a writer is told of its draft. What it wrote is not repeated to it: words of others may stand in there. */
function complaintOf(verdict: Exclude<Verdict, { kind: 'passes' }>, { requireFacts, maxLength }: CraftOrder): string {
  if (verdict.kind === 'too_few_facts') {
    return `Your last text stated ${verdict.stated} facts; at least ${requireFacts} are needed, word for word, with their factIds.`;
  }
  const told: Partial<Record<CraftFailure, string>> = {
    unsourced_claim: 'it stated what no cited fact says. Use the words of the facts, cite them, and add nothing',
    promise: 'it said of us what the playbook does not say',
    too_long: `it had more than ${maxLength} characters`,
    unfinished: 'it left a gap to be filled by somebody, or greeted twice',
    other_language: 'it was in another language',
  };
  return `Your last text was of no use: ${told[verdict.failure] ?? 'it broke the rules'}.`;
}

function textOf({ text, subject, stated }: Extract<Verdict, { kind: 'passes' }>, language: CraftOrder['language']) {
  const facts = stated.map(({ fact, segments }) => ({
    text: fact.text,
    source: fact.source,
    at: fact.at,
    hash: hashOf(fact),
    segments,
  }));
  return { subject, text, facts, flags: [], language };
}

/** What the source said at that time, so that it can be compared later. */
function hashOf({ source, text }: WritingFact): string {
  return createHash('sha256').update(`${source}\n${text}`).digest('hex');
}
