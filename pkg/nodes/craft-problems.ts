import type { CompiledGraph, CompiledNode, GraphProblem } from '../domain/graph.ts';
import { reachableFrom } from '../domain/graph-rules.ts';
import { craftLabelsOf } from './craft-nodes.ts';

const problem = (nodeIndex: number, code: string, message: string): GraphProblem => ({
  nodeIndex,
  edgeIndex: null,
  code,
  message,
});

function ambiguous(crafts: readonly CompiledNode[]): GraphProblem[] {
  const first = new Map<string, number>();
  return crafts.flatMap((node) => {
    const earlier = first.get(node.label);
    if (earlier === undefined) first.set(node.label, node.index);
    if (earlier === undefined) return [];
    const message = `label "${node.label}" is already that of node ${earlier}; give each ai:craft node its own, {{craft:<label>}} names one`;
    return [problem(node.index, 'ambiguous_craft', message)];
  });
}

/** What is wrong with crafted texts: two texts under one label, and a text that is taken where nobody wrote it before. */
export function craftProblems(graph: CompiledGraph): GraphProblem[] {
  const crafts = graph.nodes.filter((node) => node.nodeType === 'ai:craft');
  const targets = graph.nodes.map((node) => [...node.next.values()].map((id) => graph.byId.get(id)?.index ?? -1));
  const problems = ambiguous(crafts);
  for (const node of graph.nodes) {
    for (const label of new Set(craftLabelsOf(node))) {
      const craft = crafts.find((one) => one.label === label);
      if (craft && reachableFrom([craft.index], targets).has(node.index)) continue;
      const message = craft
        ? `{{craft:${label}}} is used before node ${craft.index} writes it; put the ai:craft node first`
        : `{{craft:${label}}} names no node: add an ai:craft node with label "${label}" before it`;
      problems.push(problem(node.index, 'unknown_craft', message));
    }
  }
  return problems;
}
