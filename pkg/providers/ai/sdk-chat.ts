import { CallError } from '../call-error.ts';
import type { ChatEndpoint, ChatModel } from './chat-model.ts';
import { JSON_FORMS, type JsonForm, type Learnt } from './json-form.ts';
import type { Vendor } from './vendors.ts';

/** Of an endpoint of which nothing is known yet. */
export const FRESH: Readonly<Learnt> = { form: 'json_schema', thinks: false };

/** A language model behind a vendor's wire format. One request a question, but for what the endpoint does not know yet. */
export function sdkChat(
  vendor: Vendor,
  endpoint: ChatEndpoint,
  learnt: Learnt = { ...FRESH },
): ChatModel & { readonly learnt: Readonly<Learnt> } {
  return {
    name: endpoint.model,
    learnt,
    async answer(question, signal) {
      // Each refusal takes one form away, or tells that the model thinks: four requests at most.
      let form: JsonForm = question.shape ? learnt.form : 'plain';
      // The library is large: only a process that asks a model loads it.
      const { ask } = await import('./sdk-request.ts');
      for (;;) {
        try {
          const answer = await ask(vendor, endpoint, { question, form, thinks: learnt.thinks, signal });
          if (question.shape) learnt.form = form;
          return answer;
        } catch (error) {
          form = nextForm(error, form, learnt);
        }
      }
    },
  };
}

/** How a refused question is asked again. @throws what was thrown, where it would be refused again */
function nextForm(error: unknown, form: JsonForm, learnt: Learnt): JsonForm {
  if (!(error instanceof CallError) || error.kind !== 'refused') throw error;
  if (!learnt.thinks && error.message.includes('max_completion_tokens')) {
    learnt.thinks = true;
    return form;
  }
  const next = JSON_FORMS[JSON_FORMS.indexOf(form) + 1];
  if (next === undefined) throw error;
  return next;
}
