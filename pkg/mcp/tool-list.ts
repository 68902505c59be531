import type { AnyTool } from '../tools/tool.ts';
import { PreparedJson } from './json-answer.ts';
import { leanInput, leanSchema } from './lean-schema.ts';
import { type KnownNames, type Narrowing, slugOf } from './narrowing.ts';
import { NEXT_SCHEMA } from './next-tools.ts';

/** Lists that are kept; more combinations of names are made anew at each call. */
const MAX_PREPARED = 64;

/** Answers tools/list with bytes that are made once per narrowing. */
export class ToolList {
  /** What a narrowing may name. */
  readonly known: KnownNames;
  readonly #tools: readonly AnyTool[];
  readonly #prepared = new Map<string, PreparedJson>();
  readonly #described = new Map<AnyTool, Partial<Record<Form, string>>>();

  constructor(tools: readonly AnyTool[]) {
    this.#tools = tools;
    this.known = {
      toolsets: new Set(tools.map((entry) => slugOf(entry.domain))),
      tools: new Set(tools.map((entry) => entry.name)),
    };
  }

  /** The result of tools/list; the same bytes for the same narrowing, scopes (where they count) and version. */
  result(narrowing: Narrowing, scopes: ReadonlySet<string>, protocolVersion: string): PreparedJson {
    // Titles beside the name and output schemas came with 2025-06-18; a client of an older version would look for them in vain.
    const form = protocolVersion < '2025-06-18' ? 'before' : narrowing.outputs ? 'outputs' : 'now';
    const key = keyOf(narrowing, scopes, form);
    const known = this.#prepared.get(key);
    if (known !== undefined) return known;
    const listed = this.#tools.filter((entry) => fits(entry, narrowing, scopes));
    const tools = listed.map((entry) => this.#describe(entry, form)).join(',');
    const made = new PreparedJson(`{"tools":[${tools}]}`);
    if (this.#prepared.size < MAX_PREPARED) this.#prepared.set(key, made);
    return made;
  }

  #describe(entry: AnyTool, form: Form): string {
    const texts = this.#described.get(entry) ?? {};
    this.#described.set(entry, texts);
    texts[form] ??= textOf(entry, form);
    return texts[form];
  }
}

/** A tool as JSON: for versions before 2025-06-18, for the later ones, and for those who ask for the shapes of answers. */
type Form = 'before' | 'now' | 'outputs';

function textOf(entry: AnyTool, form: Form): string {
  const described = describeTool(entry);
  if (form === 'now') return JSON.stringify(described);
  // Longer than all the rest: it is made for those who ask.
  if (form === 'outputs') return JSON.stringify({ ...described, outputSchema: outputSchemaOf(entry) });
  const { title, annotations, ...tool } = described;
  return JSON.stringify({ ...tool, annotations: { title, ...annotations } });
}

function keyOf(narrowing: Narrowing, scopes: ReadonlySet<string>, form: Form): string {
  const { toolsets, tools, readOnly, scoped } = narrowing;
  const names = toolsets === null && tools === null ? '*' : `${toolsets?.join() ?? ''};${tools?.join() ?? ''}`;
  return `${form}|${readOnly}|${names}|${scoped ? [...scopes].sort().join() : '*'}`;
}

function fits(entry: AnyTool, { toolsets, tools, readOnly, scoped }: Narrowing, scopes: ReadonlySet<string>): boolean {
  if (readOnly && !entry.hints.readOnly) return false;
  const partly = entry.partialScope !== undefined && scopes.has(entry.partialScope);
  if (scoped && entry.scope !== 'none' && !scopes.has(entry.scope) && !partly) return false;
  if (toolsets === null && tools === null) return true;
  return (toolsets?.includes(slugOf(entry.domain)) ?? false) || (tools?.includes(entry.name) ?? false);
}

/** A tool as MCP lists it; the shape of its answer is listed for those who ask. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations: Record<`${'readOnly' | 'destructive' | 'idempotent' | 'openWorld'}Hint`, boolean>;
}

export function describeTool(entry: AnyTool): ListedTool {
  const { hints } = entry;
  return {
    name: entry.name,
    title: entry.title,
    description: entry.description,
    inputSchema: inputSchemaOf(entry),
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/** JSON Schema of a tool's answer; open, so that a client is not broken by a field that is added. */
export function outputSchemaOf(entry: AnyTool): Record<string, unknown> {
  const { properties, ...rest } = leanSchema(entry.output);
  return { ...rest, properties: { next: NEXT_SCHEMA, ...(properties as object) } };
}

/** JSON Schema of a tool's parameters; unknown fields are refused. */
export function inputSchemaOf(entry: AnyTool): Record<string, unknown> {
  return leanInput(entry.input);
}
