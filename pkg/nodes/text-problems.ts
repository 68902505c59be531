import { foreignPlaceholders } from '../domain/foreign-placeholders.ts';
import type { GraphProblem } from '../domain/graph.ts';
import { UNSUBSCRIBE_PLACE } from '../domain/mail-footer.ts';
import { said } from '../domain/said.ts';
import type { TemplatePart } from '../domain/template.ts';
import type { ParsedNode } from './compile-nodes.ts';

export interface TextProblems {
  /** What nobody means to send: refused, but of a version that is in force already. */
  errors: GraphProblem[];
  warnings: GraphProblem[];
}

/** What people would get as it stands though another tool would fill it, and texts that say nothing. */
export function textProblems(nodes: readonly ParsedNode[]): TextProblems {
  const found: TextProblems = { errors: [], warnings: [] };
  for (const node of nodes) for (const text of textsIn(node.config)) judge(node, text, found);
  return found;
}

interface Text {
  path: string;
  parts: readonly TemplatePart[];
}

/** Templates of a config, at its top and one level below. */
function textsIn(config: unknown, path = ''): Text[] {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return [];
  if ('parts' in config && 'source' in config) return [{ path, parts: config.parts as readonly TemplatePart[] }];
  if (path.split('.').length > 2) return [];
  return Object.entries(config).flatMap(([name, value]) => textsIn(value, path === '' ? name : `${path}.${name}`));
}

function judge({ index, type }: ParsedNode, { path, parts }: Text, { errors, warnings }: TextProblems): void {
  const problem = (code: string, message: string): GraphProblem => ({
    nodeIndex: index,
    edgeIndex: null,
    code,
    message: `${type.nodeType}: config.${path}: ${message}`,
  });
  const words = parts
    .map((part) => (part.kind === 'text' ? part.text.replaceAll(UNSUBSCRIBE_PLACE, '') : 'x'))
    .join('');
  if (type.kind === 'effect' && said(words) === '') errors.push(problem('blank_text', 'says nothing; write a text'));
  for (const { found, advice, certain } of foreignPlaceholders(parts)) {
    const message = `"${found}" is a placeholder of another tool and would be sent as it stands; ${advice}`;
    const isRefused = certain && type.kind === 'effect';
    (isRefused ? errors : warnings).push(problem('foreign_placeholder', message));
  }
}
