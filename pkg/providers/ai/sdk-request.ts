import { generateText, NoObjectGeneratedError, Output } from 'ai';
import { CallError } from '../call-error.ts';
import type { ChatAnswer, ChatEndpoint, ChatQuestion } from './chat-model.ts';
import type { Learnt } from './json-form.ts';
import { vendorModel } from './vendor-model.ts';
import type { Vendor } from './vendors.ts';

/** The same question gets the same answer, as far as the vendor can. */
const TEMPERATURE = 0.3;
const SEED = 7;

/** A question, and how it is asked this time. */
interface Asked extends Learnt {
  question: ChatQuestion;
  signal: AbortSignal;
}

/** One request to a vendor through the `ai` library. @throws CallError */
export async function ask(
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
