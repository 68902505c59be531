import { z } from 'zod';
import { CallError } from '../call-error.ts';
import { askOutside, jsonOf } from '../outside-http.ts';
import type { ChatEndpoint, ChatModel } from './chat-model.ts';

const answerSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
});

/** A model behind any endpoint that speaks OpenAI's chat completions (OpenAI, Azure, vLLM, Ollama, LiteLLM …). */
export function openAiChat({ url, apiKey, model, timeoutMs }: ChatEndpoint): ChatModel {
  return {
    name: model,
    async answer({ system, user, maxTokens }, signal) {
      const answer = await askOutside({
        method: 'POST',
        url: `${url.replace(/\/+$/, '')}/chat/completions`,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model,
          max_tokens: maxTokens,
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
        }),
        timeoutMs,
        signal,
        harmless: true,
        reach: 'any',
      });
      const parsed = answerSchema.safeParse(jsonOf(answer, true));
      const text = parsed.success ? parsed.data.choices[0]?.message.content : undefined;
      if (!text) throw new CallError('busy', `${model} answered without a text`);
      return text;
    },
  };
}
