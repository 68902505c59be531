import { z } from 'zod';
import type { AnyTool } from '../tools/tool.ts';
import { PreparedJson } from './json-answer.ts';
import { type KnownNames, type Narrowing, slugOf } from './narrowing.ts';

/** Lists that are kept; more combinations of names are made anew at each call. */
const MAX_PREPARED = 64;

/** Answers tools/list with bytes that are made once per narrowing. */
export class ToolList {
  /** What a narrowing may name. */
  readonly known: KnownNames;
  readonly #tools: readonly AnyTool[];
  readonly #prepared = new Map<string, PreparedJson>();
  readonly #described = new Map<AnyTool, { before: string; now: string }>();

  constructor(tools: readonly AnyTool[]) {
    this.#tools = tools;
    this.known = {
      toolsets: new Set(tools.map((entry) => slugOf(entry.domain))),
      tools: new Set(tools.map((entry) => entry.name)),
    };
  }

  /** The result of tools/list; the same bytes for the same narrowing, scopes (where they count) and version. */
  result(narrowing: Narrowing, scopes: ReadonlySet<string>, protocolVersion: string): PreparedJson {
    // Output schemas came with structuredContent; a client of an older version would look for it in vain.
    const outputs = protocolVersion >= '2025-06-18';
    const key = keyOf(narrowing, scopes, outputs);
    const known = this.#prepared.get(key);
    if (known !== undefined) return known;
    const listed = this.#tools.filter((entry) => fits(entry, narrowing, scopes));
    const tools = listed.map((entry) => this.#describe(entry, outputs)).join(',');
    const made = new PreparedJson(`{"tools":[${tools}]}`);
    if (this.#prepared.size < MAX_PREPARED) this.#prepared.set(key, made);
    return made;
  }

  #describe(entry: AnyTool, outputs: boolean): string {
    let texts = this.#described.get(entry);
    if (!texts) {
      const { outputSchema: _, ...before } = describeTool(entry);
      texts = { before: JSON.stringify(before), now: JSON.stringify(describeTool(entry)) };
      this.#described.set(entry, texts);
    }
    return outputs ? texts.now : texts.before;
  }
}

function keyOf(narrowing: Narrowing, scopes: ReadonlySet<string>, outputs: boolean): string {
  const { toolsets, tools, readOnly, scoped } = narrowing;
  const names = toolsets === null && tools === null ? '*' : `${toolsets?.join() ?? ''};${tools?.join() ?? ''}`;
  return `${outputs}|${readOnly}|${names}|${scoped ? [...scopes].sort().join() : '*'}`;
}

function fits(entry: AnyTool, { toolsets, tools, readOnly, scoped }: Narrowing, scopes: ReadonlySet<string>): boolean {
  if (readOnly && !entry.hints.readOnly) return false;
  const partly = entry.partialScope !== undefined && scopes.has(entry.partialScope);
  if (scoped && entry.scope !== 'none' && !scopes.has(entry.scope) && !partly) return false;
  if (toolsets === null && tools === null) return true;
  return (toolsets?.includes(slugOf(entry.domain)) ?? false) || (tools?.includes(entry.name) ?? false);
}

/** A tool as MCP lists it. */
export function describeTool(entry: AnyTool): Record<string, unknown> {
  const { hints } = entry;
  return {
    name: entry.name,
    title: entry.title,
    description: entry.description,
    inputSchema: inputSchemaOf(entry),
    outputSchema: outputSchemaOf(entry),
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
  return schemaOf(entry.input);
}

/** JSON Schema of a tool's answer; open, so that a client is not broken by a field that is added. */
function outputSchemaOf(entry: AnyTool): Record<string, unknown> {
  return schemaOf(entry.output);
}

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
