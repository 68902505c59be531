import { z } from 'zod';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';
import type { Call, Reply } from '../http.ts';
import type { World } from '../world.ts';
import { note } from './book.ts';

const message = z.object({ role: z.string(), content: z.string() });
const openAiBody = z.object({ model: z.string(), messages: z.array(message).min(1) });
const anthropicBody = z.object({
  model: z.string(),
  system: z.string(),
  max_tokens: z.number(),
  messages: z.array(message).min(1),
});

/** `/v1/chat/completions` */
export function openAi(world: World, call: Call): Reply {
  const { model, messages } = openAiBody.parse(call.body);
  const text = answer(world, call, 'openai', messages.map((one) => one.content).join('\n'));
  return {
    status: 200,
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    },
  };
}

/** `/v1/messages` */
export function anthropic(world: World, call: Call): Reply {
  const { model, messages } = anthropicBody.parse(call.body);
  const text = answer(world, call, 'anthropic', messages.map((one) => one.content).join('\n'));
  return {
    status: 200,
    body: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [{ type: 'text', text }] },
  };
}

/** A model that keeps to its orders: it states the facts that it was given, or names the class of a reply. */
function answer(world: World, call: Call, service: 'openai' | 'anthropic', prompt: string): string {
  note(world.store, {
    at: world.clock.now(),
    service,
    action: 'answer',
    about: '',
    idempotencyKey: null,
    headers: {},
    body: call.body,
  });
  const reply = /<reply>\n([\s\S]*)\n<\/reply>/.exec(prompt)?.[1];
  if (reply !== undefined) {
    const { replyClass } = classifyReply(reply, world.clock.now());
    return JSON.stringify({ class: replyClass === 'unclassified' ? 'neutral' : replyClass });
  }
  const facts = [...(/<facts>\n([\s\S]*)\n<\/facts>/.exec(prompt)?.[1] ?? '').matchAll(/^- [a-z]+:\w+: (.+)$/gm)].map(
    (one) => one[1],
  );
  return `Here it is:\n${JSON.stringify({ text: `I read about ${facts.join(' and ')}. Shall we talk?` })}`;
}
