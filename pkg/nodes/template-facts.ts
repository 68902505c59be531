import { senderOf, type TemplateFacts } from '../domain/template.ts';
import type { StepInput } from './node-type.ts';

/** What a template may use of a step. */
export function templateFactsOf(input: StepInput): TemplateFacts {
  return {
    lead: input.lead,
    sender: senderOf(input.account?.displayName ?? ''),
    signal: { title: input.signals?.[0]?.title ?? '' },
    crafted: input.facts.crafted,
    slots: input.facts.slots,
  };
}
