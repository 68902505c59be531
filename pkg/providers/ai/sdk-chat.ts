import { generateText, NoObjectGeneratedError, Output } from 'ai';
import { CallError } from '../call-error.ts';
import type { ChatAnswer, ChatEndpoint, ChatModel, ChatQuestion } from './chat-model.ts';
import { type Vendor, vendorModel } from './vendors.ts';

/** How an endpoint is held to JSON, best first; what it can is learnt from its refusals and kept. */
const FORMS = ['json_schema', 'json_object', 'plain'] as const;
export type JsonForm = (typeof FORMS)[number];

/** The same question gets the same answer, as far as the vendor can. */
const TEMPERATURE = 0.3;
const SEED = 7;

/** What was learnt of an endpoint. */
interface Learnt {
  form: JsonForm;
  thinks: boolean;
}

/** A language model behind a vendor's wire format. One request a question, but for what the endpoint does not know yet. */
export function sdkChat(vendor: Vendor, endpoint: ChatEndpoint): ChatModel & { readonly learnt: Readonly<Learnt> } {
  const learnt: Learnt = { form: 'json_schema', thinks: false };
  return {
    name: endpoint.model,
    learnt,
    async answer(question, signal) {
      // Each refusal takes one form away, or tells that the model thinks: four requests at most.
      let form: JsonForm = question.shape ? learnt.form : 'plain';
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
  const next = FORMS[FORMS.indexOf(form) + 1];
  if (next === undefined) throw error;
  return next;
}

interface Asked extends Learnt {
  question: ChatQuestion;
  signal: AbortSignal;
}

async function ask(
  vendor: Vendor,
  endpoint: ChatEndpoint,
  { question, form, thinks, signal }: Asked,
): Promise<ChatAnswer> {
  const { system, user, maxTokens, shape } = question;
  const output =
    shape === undefined || form === 'plain'
      ? undefined
      : form === 'json_schema'
        ? Output.object({ schema: shape as never })
        : Output.json();
  try {
    const { text, finishReason } = await generateText({
      model: vendorModel(vendor, endpoint, { schema: form === 'json_schema', thinks }),
      instructions: system,
      prompt: user,
      maxOutputTokens: maxTokens,
      maxRetries: 0,
      abortSignal: signal,
      temperature: TEMPERATURE,
      ...(vendor === 'anthropic' ? {} : { seed: SEED }),
      ...(output ? { output: output as never } : {}),
    });
    return answered(endpoint, text, finishReason);
  } catch (error) {
    // What is no JSON of the asked shape is judged by us: much of it can be read all the same.
    if (NoObjectGeneratedError.isInstance(error))
      return answered(endpoint, error.text ?? '', error.finishReason ?? 'other');
    throw callErrorIn(error) ?? unreadable(endpoint, error);
  }
}

function answered({ model }: ChatEndpoint, text: string, finishReason: string): ChatAnswer {
  const cut = finishReason === 'length';
  const refused = finishReason === 'content-filter';
  if (text.trim() === '' && !cut && !refused) throw new CallError('busy', `${model} answered without a text`);
  return { text, cut, refused };
}

/** Our own failure below what the library put around it. */
function callErrorIn(error: unknown): CallError | undefined {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth++) {
    if (at instanceof CallError) return at;
    at = 'lastError' in at ? at.lastError : at.cause;
  }
  return undefined;
}

function unreadable({ model }: ChatEndpoint, error: unknown): CallError {
  return new CallError(
    'busy',
    `${model} answered what nobody can read: ${error instanceof Error ? error.name : 'no error'}`,
  );
}
