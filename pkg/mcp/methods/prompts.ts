import { RpcError } from '../errors.ts';
import type { Prompt } from '../prompts/prompt.ts';
import { PROMPTS } from '../prompts/prompts.ts';
import type { Method } from './method.ts';
import { refuseCursor } from './resources.ts';

/** An argument is a sentence, not a document. */
const LONGEST_ARGUMENT = 2_000;

/** `prompts/list` */
export const listPrompts: Method = (_services, _context, params) => {
  refuseCursor(params);
  const prompts = PROMPTS.map(({ name, title, description, arguments: declared }) => ({
    name,
    title,
    description,
    arguments: declared.map((one) => ({ name: one.name, description: one.description, required: one.required })),
  }));
  return JSON.stringify({ prompts });
};

/** `prompts/get` */
export const getPrompt: Method = (_services, _context, params) => {
  const prompt = PROMPTS.find((one) => one.name === params['name']);
  if (!prompt) {
    const known = PROMPTS.map((one) => one.name).join(', ');
    throw new RpcError(-32_602, `Unknown prompt: ${String(params['name']).slice(0, 100)}. Known: ${known}.`);
  }
  const text = prompt.text(argumentsOf(prompt, params['arguments']));
  return JSON.stringify({
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  });
};

function argumentsOf(prompt: Prompt, given: unknown): Record<string, string> {
  const texts = given ?? {};
  if (typeof texts !== 'object' || Array.isArray(texts)) {
    throw new RpcError(-32_602, 'Invalid params: arguments: must be an object of texts.');
  }
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(texts)) {
    if (!prompt.arguments.some((one) => one.name === name)) {
      const known = prompt.arguments.map((one) => one.name).join(', ');
      throw new RpcError(-32_602, `Invalid params: arguments: ${name.slice(0, 60)}: unknown. Known: ${known}.`);
    }
    if (typeof value !== 'string' || value.length > LONGEST_ARGUMENT) {
      throw new RpcError(
        -32_602,
        `Invalid params: arguments: ${name}: must be a text of at most ${LONGEST_ARGUMENT} characters.`,
      );
    }
    if (value.trim() !== '') found[name] = value.trim();
  }
  const missing = prompt.arguments.find((one) => one.required && found[one.name] === undefined);
  if (missing) throw new RpcError(-32_602, `Invalid params: arguments: ${missing.name}: is required.`);
  return found;
}
