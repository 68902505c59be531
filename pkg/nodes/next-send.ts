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
  return sendsBehind(graph, reviewNodeId)[0] ?? null;
}

/**
 * All of them, where the way forks: what is behind a review and behind no other send or review, nearest first. A lead meets one
 * of them, which is not always the one that the review showed.
 */
export function sendsBehind(graph: CompiledGraph, reviewNodeId: string): readonly CompiledNode[] {
  const start = graph.byId.get(reviewNodeId)?.next.get('approved');
  const open = start === undefined ? [] : [start];
  const seen = new Set<string>();
  const sends: CompiledNode[] = [];
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    const node = graph.byId.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    const type = nodeTypeOf(node.nodeType);
    if (type.kind === 'effect' && type.reviewable) sends.push(node);
    else if (type.kind !== 'review') open.push(...nextOf(node));
  }
  return sends;
}
