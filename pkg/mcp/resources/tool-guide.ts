import type { AnyTool } from '../../tools/tool.ts';

/** The tools by domain, in a form that fits into a model's context: what each is for, what it needs, what it costs. */
export function toolGuide(tools: ReadonlyMap<string, AnyTool>): string {
  const domains = Map.groupBy(tools.values(), (tool) => tool.domain);
  const sections = [...domains].map(([domain, list]) => `## ${domain}\n\n${list.map(lineOf).join('\n')}`);
  return `# Tools of Outrider\n\n${INTRODUCTION}\n\n${sections.join('\n\n')}\n`;
}

const INTRODUCTION = `Start with svc_whoami: it says what this key may do and in which workspaces. Every answer and every refusal names the
tool to call next. Ids are opaque. Times are ISO 8601 in UTC. Give an idempotencyKey where a tool takes one: a repeated
call then answers the same and neither sends nor charges twice. Without one, the same call within a minute counts as the
first one made again where it sends, charges or starts something. \`*\` marks required parameters.`;

function lineOf(tool: AnyTool): string {
  const required = (name: string): boolean => !(tool.input.shape[name]?.safeParse(undefined).success ?? true);
  const parameters = Object.keys(tool.input.shape).map((name) => (required(name) ? `${name}*` : name));
  const kind = tool.hints.readOnly ? 'reads' : tool.hints.destructive ? 'destroys' : 'writes';
  const scope = tool.scope === 'none' ? 'no scope' : tool.scope;
  const needs = parameters.length === 0 ? 'no parameters' : parameters.join(', ');
  return `- **${tool.name}** (${kind}, ${scope}, limit ${tool.category}): ${tool.description} Parameters: ${needs}.`;
}
