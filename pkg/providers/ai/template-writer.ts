import { craftFromFacts } from '../../domain/craft-text.ts';
import { playbookOf, TEMPLATE_NOTE } from '../../domain/playbook-writer.ts';
import { classifyReply } from '../../domain/reply-class.ts';
import type { AiWriter } from './ai-writer.ts';

/** The writer that needs no model and no network: rules over facts. */
export const templateWriter: AiWriter = {
  name: 'template',
  billable: false,
  writePlaybook: (facts) => Promise.resolve({ text: playbookOf(facts), byModel: false, notes: [TEMPLATE_NOTE] }),
  craft: ({ channel, facts, requireFacts, maxLength, seed }) =>
    Promise.resolve(craftFromFacts(channel, facts, { requireFacts, maxLength, seed })),
  classify: (text, receivedAt) => Promise.resolve(classifyReply(text, receivedAt).replyClass),
};
