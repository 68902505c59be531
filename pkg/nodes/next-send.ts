import type { CompiledGraph, CompiledNode } from '../domain/graph.ts';
import { nodeTypeOf } from './registry.ts';

function nextOf(node: CompiledNode): readonly string[] {
  const first = nodeTypeOf(node.nodeType).defaultOutcome;
  const byDefault = first === null ? undefined : node.next.get(first);
  return byDefault === undefined ? [...node.next.values()] : [byDefault, ...node.next.values()];
}

/**
 * The send node whose draft a review node shows: the nearest node with a reviewable text behind its `approved` outcome,
 * default outcomes first, not beyond the next review. Null when there is none (compileGraph refuses such a graph).
 */
export function nextSendNode(graph: CompiledGraph, reviewNodeId: string): CompiledNode | null {
  const start = graph.byId.get(reviewNodeId)?.next.get('approved');
  const open = start === undefined ? [] : [start];
  const seen = new Set<string>();
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    const node = graph.byId.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    const type = nodeTypeOf(node.nodeType);
    if (type.kind === 'effect' && type.reviewable) return node;
    if (type.kind !== 'review') open.push(...nextOf(node));
  }
  return null;
}
