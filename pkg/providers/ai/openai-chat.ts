import { z } from 'zod';
import { CallError } from '../call-error.ts';
import { exchange, jsonOf, type OutsideRequest, refusalOf } from '../outside-http.ts';
import type { ChatAnswer, ChatEndpoint, ChatModel, ChatQuestion } from './chat-model.ts';

const answerSchema = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: z.string().nullish() }))
    .min(1),
});

/** Tokens that a model may think before it writes: they count within its limit, and one that runs out of them says nothing. */
const THOUGHTS = 16_000;

/** A model behind any endpoint that speaks OpenAI's chat completions (OpenAI, Azure, vLLM, Ollama, LiteLLM …). */
export function openAiChat(endpoint: ChatEndpoint): ChatModel {
  const { model } = endpoint;
  // Models that think refuse `max_tokens`, and other servers know nothing else; which it is, it says once.
  let thinks = false;
  return {
    name: model,
    async answer(question, signal) {
      const asked = thinks;
      const call = orderOf(endpoint, question, asked, signal);
      const answer = await exchange(call);
      if (!asked && answer.status === 400 && answer.text.includes('max_completion_tokens')) {
        thinks = true;
        return this.answer(question, signal);
      }
      if (answer.status >= 300) throw refusalOf(call, answer);
      return read(model, jsonOf(answer, true));
    },
  };
}

function orderOf(
  { url, apiKey, model, timeoutMs }: ChatEndpoint,
  { system, user, maxTokens }: ChatQuestion,
  thinks: boolean,
  signal: AbortSignal,
): OutsideRequest {
  return {
    method: 'POST',
    url: `${url.replace(/\/+$/, '')}/chat/completions`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      ...(thinks ? { max_completion_tokens: maxTokens + THOUGHTS } : { max_tokens: maxTokens }),
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    }),
    timeoutMs,
    signal,
    harmless: true,
    reach: 'any',
  };
}

function read(model: string, body: unknown): ChatAnswer {
  const [choice] = answerSchema.safeParse(body).data?.choices ?? [];
  const text = choice?.message.content;
  if (!text) throw new CallError('busy', `${model} answered without a text`);
  return { text, cut: choice.finish_reason === 'length' };
}
