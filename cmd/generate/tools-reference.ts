import { inputSchemaOf } from '../../pkg/mcp/tool-list.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import type { AnyTool } from '../../pkg/tools/tool.ts';
import { keepFile } from './keep-file.ts';

/** Writes docs/tools.md from the declarations; `--check` fails when it is not up to date. */

interface Property {
  type?: string;
  enum?: unknown[];
  default?: unknown;
  description?: string;
}

function parametersOf(tool: AnyTool): string {
  const schema = inputSchemaOf(tool) as { properties?: Record<string, Property>; required?: string[] };
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const required = schema.required?.includes(name) ? ' (required)' : '';
    const type = property.enum ? property.enum.map(String).join(' \\| ') : (property.type ?? 'any');
    const preset = property.default === undefined ? '' : `, default ${JSON.stringify(property.default)}`;
    const about = property.description ? `: ${property.description.replaceAll('|', '\\|')}` : '';
    return `- \`${name}\`${required} ${type}${preset}${about}`;
  });
  return rows.length === 0 ? 'No parameters.' : rows.join('\n');
}

function sectionOf(tool: AnyTool): string {
  const { hints } = tool;
  const kind = hints.readOnly ? 'read' : hints.destructive ? 'destructive' : 'write';
  return `### ${tool.name}\n\n${tool.description}\n\nScope \`${tool.scope}\`, limit category ${tool.category}, ${kind}.\n\n${parametersOf(tool)}\n${exampleOf(tool)}`;
}

/** What a client sends; `<name>` stands for an id that it has. */
function exampleOf(tool: AnyTool): string {
  const { input } = tool.example;
  if (Object.keys(input).length === 0) return '';
  const json = JSON.stringify(input).replace(/"\$([A-Za-z0-9]+)"/g, '"<$1>"');
  return `\n\`\`\`json\n${json}\n\`\`\`\n`;
}

const domains = [...new Set(ALL_TOOLS.map((tool) => tool.domain))];
const parts = domains.map((domain) => {
  const tools = ALL_TOOLS.filter((tool) => tool.domain === domain);
  return `## ${domain}\n\n${tools.map(sectionOf).join('\n')}`;
});
const text = `# Tools\n\nGenerated from the declarations by \`make generate\`: ${ALL_TOOLS.length} tools.\n\n${parts.join('\n')}`;
keepFile('docs/tools.md', text);
