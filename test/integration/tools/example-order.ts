import type { AnyTool } from '../../../pkg/tools/tool.ts';

/** Names that an input asks for as `$name`. */
export function namesIn(input: object): string[] {
  return [...JSON.stringify(input).matchAll(/"\$([A-Za-z0-9]+)"/g)].map(([, name]) => name ?? '');
}

/**
 * The tools in an order in which their examples work: each after those that keep what it names, and those that lose something
 * last. @param given names that the fixture makes, with the names that it needs for that
 * @throws Error naming the tools whose examples ask for what nobody keeps
 */
export function inWorkingOrder(
  tools: readonly AnyTool[],
  given: Readonly<Record<string, readonly string[]>>,
): AnyTool[] {
  const ordered: AnyTool[] = [];
  const kept = new Set<string>();
  const isThere = (name: string): boolean => kept.has(name) || (given[name]?.every(isThere) ?? false);
  const lacks = ({ example: { input, after = [] } }: AnyTool): string[] => [
    ...namesIn(input).filter((name) => !isThere(name)),
    ...after.filter((name) => !ordered.some((done) => done.name === name)),
  ];
  const rank = (tool: AnyTool): number => Number(tool.hints.destructive);
  const waiting = [...tools].sort((a, b) => rank(a) - rank(b));
  while (waiting.length > 0) {
    const at = waiting.findIndex((tool) => lacks(tool).length === 0);
    const [next] = waiting.splice(at, 1);
    if (at < 0 || !next) {
      const missing = waiting.map((tool) => `${tool.name} (${lacks(tool)})`);
      throw new Error(`No example keeps, and no fixture gives, what these ask for: ${missing.join(', ')}`);
    }
    for (const name of Object.keys(next.example.keep ?? {})) kept.add(name);
    ordered.push(next);
  }
  return ordered;
}
