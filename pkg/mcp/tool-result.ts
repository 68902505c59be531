import type { UserError } from '../base/errors.ts';
import { PreparedJson } from './json-answer.ts';

/** A tool result as MCP sends it. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: object;
  isError?: boolean;
  /** Seconds after which the same call may succeed. */
  retryAfterSeconds?: number;
  /** Why the caller was refused, for what shows it in another form; not sent. */
  refused?: UserError;
}

/** Texts and results of answers that never change: a tool that gives the same frozen object every time. */
const TEXTS = new WeakMap<object, string>();
const RESULTS = new WeakMap<object, PreparedJson>();

/** What a tool answered, as text and, where the protocol version has it, as an object. */
export function success(output: object, structured: boolean): ToolResult {
  let text = TEXTS.get(output);
  if (text === undefined) {
    text = JSON.stringify(output);
    if (Object.isFrozen(output)) TEXTS.set(output, text);
  }
  return { content: [{ type: 'text', text }], ...(structured ? { structuredContent: output } : {}) };
}

/** A result that the caller must act on; plain text, not JSON (specification, Errors 1). */
export function refusal(text: string, more: Pick<ToolResult, 'retryAfterSeconds' | 'refused'> = {}): ToolResult {
  return { content: [{ type: 'text', text }], isError: true, ...more };
}

/** The JSON of a result. Its text is the JSON of its structured content, which is written once and used twice. */
export function resultJson({ content, structuredContent, isError }: ToolResult): string | PreparedJson {
  const text = content[0]?.text ?? '';
  const quoted = `{"content":[{"type":"text","text":`;
  if (isError) return `${quoted}${JSON.stringify(text)}}],"isError":true}`;
  if (!structuredContent) return `${quoted}${JSON.stringify(text)}}]}`;
  const known = RESULTS.get(structuredContent);
  if (known) return known;
  const json = `${quoted}${JSON.stringify(text)}}],"structuredContent":${text}}`;
  if (!Object.isFrozen(structuredContent)) return json;
  const prepared = new PreparedJson(json);
  RESULTS.set(structuredContent, prepared);
  return prepared;
}
