import type { Json } from '../base/json.ts';
import { parseTemplate, renderTemplate, type TemplateFacts } from './template.ts';

/** Texts in a body, counted over all depths; deeper or larger bodies are refused when the graph is compiled. */
const MAX_TEXTS = 200;
const MAX_DEPTH = 8;

/** What is wrong with the templates of a body, for people; empty when it can be rendered. */
export function bodyProblems(body: Json): readonly string[] {
  const texts: string[] = [];
  if (!collect(body, texts, 0)) return [`must be at most ${MAX_DEPTH} levels deep`];
  if (texts.length > MAX_TEXTS) return [`has ${texts.length} texts; at most ${MAX_TEXTS}`];
  return texts.flatMap((text) => parseTemplate(text).problems);
}

function collect(value: Json, texts: string[], depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value === 'string') texts.push(value);
  if (value === null || typeof value !== 'object') return true;
  const inner = Array.isArray(value) ? value : Object.values(value);
  return inner.every((one) => collect(one, texts, depth + 1));
}

/** The body with its texts rendered, or the placeholders without value. Names and other values stay as they are. */
export function renderBody(body: Json, facts: TemplateFacts): { body: Json } | { missing: readonly string[] } {
  const missing: string[] = [];
  const rendered = walk(body, (text) => {
    const result = renderTemplate(parseTemplate(text).parts, facts);
    if ('text' in result) return result.text;
    missing.push(...result.missing);
    return '';
  });
  return missing.length > 0 ? { missing: [...new Set(missing)] } : { body: rendered };
}

function walk(value: Json, render: (text: string) => string): Json {
  if (typeof value === 'string') return render(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => walk(one, render));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, render)]));
}
