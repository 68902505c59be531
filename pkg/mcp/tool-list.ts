import { z } from 'zod';
import type { AnyTool } from '../tools/tool.ts';

/** How a client may narrow the list (headers X-MCP-Toolsets and X-MCP-Readonly). */
export interface Narrowing {
  /** Domains in lower case; null: all. */
  toolsets: readonly string[] | null;
  readOnly: boolean;
}

/** Answers tools/list with bytes that are made once per narrowing. */
export class ToolList {
  readonly #tools: readonly AnyTool[];
  readonly #prepared = new Map<string, string>();

  constructor(tools: readonly AnyTool[]) {
    this.#tools = tools;
  }

  /** JSON of the `tools` array; the same text for the same narrowing. */
  json(narrowing: Narrowing): string {
    const key = `${narrowing.readOnly}|${narrowing.toolsets?.join() ?? '*'}`;
    const known = this.#prepared.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(this.#tools.filter((entry) => fits(entry, narrowing)).map(describeTool));
    if (this.#prepared.size < 64) this.#prepared.set(key, text);
    return text;
  }
}

function fits(entry: AnyTool, narrowing: Narrowing): boolean {
  if (narrowing.readOnly && !entry.hints.readOnly) return false;
  const slug = entry.domain.toLowerCase().replace(/[^a-z]+/g, '_');
  return narrowing.toolsets === null || narrowing.toolsets.some((wanted) => slug.startsWith(wanted));
}

/** A tool as MCP lists it. */
export function describeTool(entry: AnyTool): object {
  const { hints } = entry;
  return {
    name: entry.name,
    title: entry.title,
    description: entry.description,
    inputSchema: inputSchemaOf(entry),
    annotations: {
      title: entry.title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/** JSON Schema of a tool's parameters; unknown fields are refused. */
export function inputSchemaOf(entry: AnyTool): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(entry.input, { io: 'input', unrepresentable: 'any' }) as Record<
    string,
    unknown
  >;
  return schema;
}
