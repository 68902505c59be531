import { z } from 'zod';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';
import type { Call, Reply } from '../http.ts';
import type { World } from '../world.ts';
import { note } from './book.ts';

/** A text, or blocks of it. */
const words = z.union([
  z.string(),
  z.array(z.object({ text: z.string() })).transform((blocks) => blocks.map(({ text }) => text).join('')),
]);
const message = z.object({ role: z.string(), content: words });
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
  system: words,
  tools: z.array(z.object({ name: z.string() })).optional(),
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
  const { model, messages, system, tools = [] } = anthropicBody.parse(call.body);
  const said = answer(world, call, 'anthropic', [system, ...messages.map((one) => one.content)].join('\n'));
  // A shape is asked for by a tool of that name, and the answer is what the tool would be called with.
  const json = tools.some(({ name }) => name === 'json') ? /\{[\s\S]*\}/.exec(said)?.[0] : undefined;
  const content =
    json === undefined
      ? { type: 'text', text: said }
      : { type: 'tool_use', id: 'toolu_1', name: 'json', input: JSON.parse(json) as object };
  return {
    status: 200,
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [content],
      stop_reason: json === undefined ? 'end_turn' : 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  };
}

/** A model that keeps to its orders: it states the facts that it was given, or names the class of a reply. */
function answer(world: World, call: Call, service: 'openai' | 'anthropic', prompt: string): string {
  noteOrder(world, call, service, 'answer');
  const data =
    /<<data (\w+)>>\n(?!`|and)([\s\S]*?)\n<<end \1>>/.exec(prompt.slice(prompt.lastIndexOf(':\n<<data ') + 2))?.[2] ??
    '';
  if (prompt.includes('\nReply:\n') || prompt.startsWith('Reply:\n')) {
    const { replyClass } = classifyReply(data, world.clock.now());
    return JSON.stringify({ class: replyClass === 'unclassified' ? 'neutral' : replyClass });
  }
  const facts = [...data.matchAll(/^([fcpt]\d+) \| [a-z_]+:\w+ (?:\| \d{4}-[^|]* )?\| (.+)$/gm)];
  const segments = [
    { text: `I read about ${facts.map((one) => one[2]).join(' and ')}.`, factIds: facts.map((one) => one[1]) },
    { text: 'Shall we talk?', factIds: [] },
  ];
  const subject = prompt.includes('Give a short subject') ? { text: 'A short question', factIds: [] } : null;
  return `Here it is:\n${JSON.stringify({ subject, segments })}`;
}

function noteOrder(world: World, call: Call, service: 'openai' | 'anthropic', action: 'answer' | 'refuse'): void {
  const { body } = call;
  note(world.store, { at: world.clock.now(), service, action, about: '', idempotencyKey: null, headers: {}, body });
}
