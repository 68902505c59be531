import { slotsText } from '../domain/calendar/free-slots.ts';
import { senderOf, type TemplateFacts } from '../domain/template.ts';
import type { StepInput } from './node-type.ts';

/** What was proposed and has not passed meanwhile. */
function slotsToCome({ facts, now }: StepInput): string | undefined {
  if (!facts.slots || !facts.slotTimes) return facts.slots;
  const { starts, timezone } = facts.slotTimes;
  return slotsText(
    starts.filter((start) => start > now),
    timezone,
  );
}

/** What a template may use of a step. */
export function templateFactsOf(input: StepInput): TemplateFacts {
  return {
    lead: input.lead,
    sender: senderOf(input.account?.displayName ?? ''),
    signal: { title: input.signals?.[0]?.title ?? '' },
    crafted: input.facts.crafted,
    slots: slotsToCome(input),
  };
}
