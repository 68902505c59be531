import { z } from 'zod';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';
import type { Call, Reply } from '../http.ts';
import type { World } from '../world.ts';
import { note } from './book.ts';

const message = z.object({ role: z.string(), content: z.string() });
const openAiBody = z.object({
  model: z.string(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  messages: z.array(message).min(1),
});
/** Models that think before they write: their limit has another name and counts the thoughts too. */
const THINKING = /^(o\d|gpt-5)/;
const THOUGHTS = 2_000;
const anthropicBody = z.object({
  model: z.string(),
  system: z.string(),
  max_tokens: z.number(),
  messages: z.array(message).min(1),
});

/** `/v1/chat/completions` */
export function openAi(world: World, call: Call): Reply {
  const { model, max_tokens, max_completion_tokens = Number.POSITIVE_INFINITY, messages } = openAiBody.parse(call.body);
  if (THINKING.test(model) && max_tokens !== undefined) {
    noteOrder(world, call, 'openai', 'refuse');
    return { status: 400, body: OTHER_LIMIT };
  }
  if (THINKING.test(model) && max_completion_tokens < THOUGHTS) return completion(model, '', 'length');
  const text = answer(world, call, 'openai', messages.map((one) => one.content).join('\n'));
  return completion(model, text, 'stop');
}

const OTHER_LIMIT = {
  error: {
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type: 'invalid_request_error',
    param: 'max_tokens',
    code: 'unsupported_parameter',
  },
};

function completion(model: string, content: string, finish_reason: 'stop' | 'length'): Reply {
  const choices = [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason }];
  return { status: 200, body: { id: 'chatcmpl-1', object: 'chat.completion', model, choices } };
}

/** `/v1/messages` */
export function anthropic(world: World, call: Call): Reply {
  const { model, messages } = anthropicBody.parse(call.body);
  const text = answer(world, call, 'anthropic', messages.map((one) => one.content).join('\n'));
  return {
    status: 200,
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
    },
  };
}

/** A model that keeps to its orders: it states the facts that it was given, or names the class of a reply. */
function answer(world: World, call: Call, service: 'openai' | 'anthropic', prompt: string): string {
  noteOrder(world, call, service, 'answer');
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

function noteOrder(world: World, call: Call, service: 'openai' | 'anthropic', action: 'answer' | 'refuse'): void {
  const { body } = call;
  note(world.store, { at: world.clock.now(), service, action, about: '', idempotencyKey: null, headers: {}, body });
}
