import { templateDraft } from '../../domain/craft/template-draft.ts';
import { playbookOf, TEMPLATE_NOTE } from '../../domain/playbook-writer.ts';
import { classifyReply } from '../../domain/reply-class.ts';
import { NO_MODEL } from '../../domain/signals/judge-text.ts';
import type { AiWriter } from './ai-writer.ts';
import { craftText, type Drafter } from './craft-text.ts';

/** Puts facts into sentences that were written before. */
const drafter: Drafter = {
  tries: 1,
  draft: (order) => {
    const draft = templateDraft(order);
    return Promise.resolve(draft ? { draft, secrets: [] } : { none: 'no sentence of the built-in writer fits' });
  },
};

/** The writer that needs no model and no network: rules over facts. */
export const templateWriter: AiWriter = {
  name: 'template',
  billable: false,
  writePlaybook: (facts) => Promise.resolve({ text: playbookOf(facts), byModel: false, notes: [TEMPLATE_NOTE] }),
  craft: (order, signal) => craftText(drafter, order, signal),
  classify: (text, receivedAt) => Promise.resolve(classifyReply(text, receivedAt).replyClass),
  judge: () => Promise.resolve(NO_MODEL),
};
