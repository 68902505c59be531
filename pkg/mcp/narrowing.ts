import type { IncomingMessage } from 'node:http';
import { HttpError } from '../base/http/http-error.ts';

/** How a client narrows tools/list, and whether it wants to see the shapes of answers. */
export interface Narrowing {
  /** Slugs of domains; null: all. */
  toolsets: readonly string[] | null;
  /** Names of tools, in addition to those of the toolsets; null: none named. */
  tools: readonly string[] | null;
  /** Only tools that change nothing. */
  readOnly: boolean;
  /** Only tools that the key's scopes allow. */
  scoped: boolean;
  /** With the schemas of answers, which are longer than all the rest. */
  outputs: boolean;
}

/** What may be named. */
export interface KnownNames {
  toolsets: ReadonlySet<string>;
  tools: ReadonlySet<string>;
}

/** The name of a domain in a narrowing: `Personas & Phases` is `personas_phases`. */
export function slugOf(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/[^a-z]+/g, '_')
    .replace(/^_|_$/g, '');
}

/** Headers, each with the query parameter of the same meaning; the header wins. */
const WAYS = {
  toolsets: ['x-mcp-toolsets', 'toolsets'],
  tools: ['x-mcp-tools', 'tools'],
  readOnly: ['x-mcp-readonly', 'readonly'],
  scoped: ['x-mcp-scoped', 'scoped'],
  outputs: ['x-mcp-output-schemas', 'outputSchemas'],
} as const;

/** The request in which a client says it. */
export type NarrowedBy = Pick<IncomingMessage, 'headers' | 'url'>;

/** Longest list of names that is read. */
const LONGEST = 10_000;

/**
 * What a client narrows tools/list to, by header (`X-MCP-Toolsets: campaigns,leads`) or query (`?toolsets=campaigns`).
 * @throws HttpError 400 that names what is valid
 */
export function narrowingOf(request: NarrowedBy, known: KnownNames): Narrowing {
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const given = ([header, parameter]: readonly [string, string]): string => {
    const value = request.headers[header];
    return ((typeof value === 'string' ? value : query.get(parameter)) ?? '').slice(0, LONGEST);
  };
  return {
    toolsets: names('X-MCP-Toolsets', given(WAYS.toolsets), slugOf, known.toolsets),
    tools: names('X-MCP-Tools', given(WAYS.tools), toolName, known.tools),
    readOnly: flag('X-MCP-Readonly', given(WAYS.readOnly)),
    scoped: flag('X-MCP-Scoped', given(WAYS.scoped)),
    outputs: flag('X-MCP-Output-Schemas', given(WAYS.outputs)),
  };
}

function toolName(text: string): string {
  return text.startsWith('svc_') ? text : `svc_${text}`;
}

function names(
  header: string,
  text: string,
  normal: (name: string) => string,
  known: ReadonlySet<string>,
): readonly string[] | null {
  const parts = text.split(',').map((part) => part.trim());
  const wanted = parts.filter(Boolean);
  if (wanted.length === 0) return null;
  const unknown = wanted.filter((name) => !known.has(normal(name.toLowerCase())));
  if (unknown.length > 0) {
    const shown = unknown.slice(0, 10).map((name) => name.replace(/[^\w -]/g, '?').slice(0, 64));
    throw new HttpError(400, `${header}: unknown: ${shown.join(', ')}. Valid: ${[...known].join(', ')}.`);
  }
  return [...new Set(wanted.map((name) => normal(name.toLowerCase())))].sort();
}

function flag(header: string, text: string): boolean {
  const value = text.trim().toLowerCase();
  if (value === '' || value === 'false' || value === '0') return false;
  if (value === 'true' || value === '1') return true;
  throw new HttpError(400, `${header}: must be true or false.`);
}
