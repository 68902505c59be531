import { z } from 'zod';
import { CallError } from '../call-error.ts';
import { askOutside, jsonOf } from '../outside-http.ts';
import type { ChatEndpoint, ChatModel } from './chat-model.ts';

const API_VERSION = '2023-06-01';
const answerSchema = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
});

/** A model behind Anthropic's messages endpoint; `url` for example `https://api.anthropic.com/v1`. */
export function anthropicChat({ url, apiKey, model, timeoutMs }: ChatEndpoint): ChatModel {
  return {
    name: model,
    async answer({ system, user, maxTokens }, signal) {
      const answer = await askOutside({
        method: 'POST',
        url: `${url.replace(/\/+$/, '')}/messages`,
        headers: { 'x-api-key': apiKey, 'anthropic-version': API_VERSION, 'content-type': 'application/json' },
        body: JSON.stringify({ model, max_tokens: maxTokens, system, messages: [{ role: 'user', content: user }] }),
        timeoutMs,
        signal,
        harmless: true,
        reach: 'any',
      });
      const parsed = answerSchema.safeParse(jsonOf(answer, true));
      const blocks = parsed.success ? parsed.data.content : [];
      const text = blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('');
      if (text === '') throw new CallError('busy', `${model} answered without a text`);
      return { text, cut: parsed.data?.stop_reason === 'max_tokens' };
    },
  };
}
