import type { AnyTool } from '../tools/tool.ts';

/** A tool that goes on from a result, and what it does there. */
export interface NextTool {
  tool: string;
  why: string;
}

/** What is looked at to say how a result goes on. */
interface Answered {
  tool: AnyTool;
  tools: ReadonlyMap<string, AnyTool>;
  /** Scopes of the caller: nobody is sent to a tool that these do not open. */
  scopes: ReadonlySet<string>;
}

/** Frozen answers, which are written once: with the tools behind them, for one set of scopes each. */
const FROZEN = new WeakMap<object, Map<string, object>>();
const MAX_SCOPES = 8;
/** Letters of what a tool does there. */
const LONGEST_WHY = 100;
/** Tools that one answer goes on with. */
const MOST = 4;

/**
 * The answer with the tools that naturally come next: the next page of a list, then those that its rows name, then those that the
 * tool's description names. An answer that nothing follows stays as it is.
 */
export function withNext(output: object, answered: Answered): object {
  const next = nextOf(output, answered);
  if (next.length === 0) return output;
  if (!Object.isFrozen(output)) return { ...output, next };
  const known = FROZEN.get(output) ?? new Map<string, object>();
  const key = next.map(({ tool }) => tool).join();
  const made = known.get(key) ?? Object.freeze({ ...output, next });
  if (known.size < MAX_SCOPES) FROZEN.set(output, known.set(key, made));
  return made;
}

function nextOf(output: object, { tool, tools, scopes }: Answered): NextTool[] {
  const names = [...new Set([...namedInRows(output), ...namedNext(tool)])].slice(0, MOST);
  const named = names.flatMap((name) => {
    const found = tools.get(name);
    return found && mayCall(found, scopes) ? [{ tool: name, why: purposeOf(found) }] : [];
  });
  const more = (output as { nextCursor?: string | null }).nextCursor;
  return more ? [{ tool: tool.name, why: 'Reads the next page: pass nextCursor as cursor' }, ...named] : named;
}

/** What hits, checks and notifications name each for itself. */
function namedInRows(output: object): string[] {
  const {
    hits = [],
    checks = [],
    notifications = [],
  } = output as {
    hits?: { getTool?: string }[];
    checks?: { nextTool?: string | null }[];
    notifications?: { nextTool?: string | null }[];
  };
  return [...hits.map((hit) => hit.getTool), ...[...checks, ...notifications].map((row) => row.nextTool)].filter(
    (name) => !!name,
  ) as string[];
}

/** Whether scopes open a tool, as a whole or in part. */
export function mayCall({ scope, partialScope }: AnyTool, scopes: ReadonlySet<string>): boolean {
  return scope === 'none' || scopes.has(scope) || (partialScope !== undefined && scopes.has(partialScope));
}

const NAMES = new WeakMap<AnyTool, readonly string[]>();
const PURPOSES = new WeakMap<AnyTool, string>();

/** The tools that a description names behind `Next:`. */
export function namedNext(tool: AnyTool): readonly string[] {
  const known = NAMES.get(tool);
  if (known) return known;
  const names = [...(tool.description.split('Next: ')[1] ?? '').matchAll(/svc_[a-z_]+/g)].map(([name]) => name);
  NAMES.set(tool, names);
  return names;
}

/** What a tool does, as its description begins. */
function purposeOf(tool: AnyTool): string {
  const known = PURPOSES.get(tool);
  if (known !== undefined) return known;
  const purpose = shortened((/^[^.:;(]*/.exec(tool.description)?.[0] ?? '').trim());
  PURPOSES.set(tool, purpose);
  return purpose;
}

/** Ends behind a word, and says so. */
function shortened(text: string): string {
  if (text.length <= LONGEST_WHY) return text;
  const words = text.slice(0, LONGEST_WHY).replace(/\s+\S*$/, '');
  return `${words.replace(/[\s,–-]+$/, '')} …`;
}

/** As an output schema tells it. */
export const NEXT_SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    properties: { tool: { type: 'string' }, why: { type: 'string' } },
    required: ['tool', 'why'],
  },
};
