import { listToolOf } from '../tools/errors.ts';
import type { AnyTool } from '../tools/tool.ts';
import { mayCall } from './next-tools.ts';

/** Who is refused, and what they could call instead. */
interface Refused {
  /** All that are served. */
  tools: ReadonlyMap<string, AnyTool>;
  /** Scopes of the caller. */
  scopes: ReadonlySet<string>;
}

/** An id parameter at the head of a cause: `Invalid input: leadId: …; runIds.3: …`. */
const ID_PARAM = /(?:^Invalid input: |; )(\w+Ids?)(?=[.:])/g;
/** Tools that one refusal names for ids. */
const MOST = 2;

/**
 * The text of a refusal with what goes on from it: of a bad id the tool that finds good ones, and of a tool that the caller's key does
 * not open, that it does not. Source: specification, Errors: an error names the next tool.
 */
export function refusalText(text: string, { tools, scopes }: Refused): string {
  const told = named(text).length > 0 ? text : withFinders(text, tools);
  const ways = named(told).flatMap((name) => tools.get(name) ?? []);
  if (ways.length === 0 || ways.some((tool) => mayCall(tool, scopes))) return told;
  const [way] = ways;
  return `${told} This key lacks the scope ${way?.scope} of ${way?.name}; svc_whoami tells what it has.`;
}

function named(text: string): string[] {
  return [...text.matchAll(/svc_[a-z_]*[a-z]/g)].map(([name]) => name);
}

function withFinders(text: string, tools: ReadonlyMap<string, AnyTool>): string {
  const finders = [...text.matchAll(ID_PARAM)].flatMap(([, param = '']) => listToolOf(param) ?? []);
  const served = [...new Set(finders)].filter((name) => tools.has(name)).slice(0, MOST);
  if (served.length === 0) return text;
  return `${text.replace(/\.$/, '')}. Call ${served.join(' or ')} to find valid IDs.`;
}
