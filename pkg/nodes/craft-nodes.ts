import type { CompiledGraph, CompiledNode } from '../domain/graph.ts';
import { craftLabels } from '../domain/template.ts';
import { nodeTypeOf } from './registry.ts';

/** Labels that a node's templates take as {{craft:<label>}}. */
export function craftLabelsOf(node: CompiledNode): readonly string[] {
  const type = nodeTypeOf(node.nodeType);
  if (type.kind !== 'effect') return [];
  return (type.templates?.(node.config as never) ?? []).flatMap(craftLabels);
}

/** The ai:craft nodes whose texts a node takes. */
export function craftNodesOf(graph: CompiledGraph, node: CompiledNode): readonly CompiledNode[] {
  const labels = new Set(craftLabelsOf(node));
  return graph.nodes.filter((one) => one.nodeType === 'ai:craft' && labels.has(one.label));
}
