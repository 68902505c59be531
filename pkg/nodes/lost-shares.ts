import type { CompiledGraph } from '../domain/graph.ts';
import { outcomeShares, type Rates } from './outcome-shares.ts';
import { nodeTypeOf } from './registry.ts';

/** An outcome without an edge, and which share of all leads takes it. */
export interface LostShare {
  nodeIndex: number;
  outcome: string;
  /** Of all leads that come in, 0 to 1, as the forecast reckons. */
  share: number;
}

/**
 * Outcomes without an edge of nodes that lead on by another one: who takes them ends where others go on. The end of the way (the
 * default outcome of a node without any edge) loses nobody.
 */
export function lostShares(graph: CompiledGraph, rates: Rates): LostShare[] {
  const reached = reachedShares(graph, rates);
  return graph.nodes.flatMap((node) => {
    const type = nodeTypeOf(node.nodeType);
    if (type.kind === 'source' || type.kind === 'handoff') return [];
    const outcomes = typeof type.outcomes === 'function' ? type.outcomes(node.config as never) : type.outcomes;
    const shares = new Map(outcomeShares(node, type, rates).map(([outcome, share]) => [outcome, share]));
    const isEnd = node.next.size === 0;
    return outcomes
      .filter((outcome) => !node.next.has(outcome) && !(isEnd && outcome === type.defaultOutcome))
      .map((outcome) => ({
        nodeIndex: node.index,
        outcome,
        share: (reached.get(node.nodeId) ?? 0) * (shares.get(outcome) ?? 0),
      }));
  });
}

/** Which share of all leads comes to each node; several sources bring the same each. */
function reachedShares(graph: CompiledGraph, rates: Rates): ReadonlyMap<string, number> {
  const reached = new Map<string, number>();
  const add = (nodeId: string, share: number): void => {
    reached.set(nodeId, (reached.get(nodeId) ?? 0) + share);
  };
  const starts = graph.sources.length === 0 ? [graph.entryNodeId] : graph.sources.map((node) => node.nodeId);
  for (const start of starts) add(start, 1 / starts.length);
  for (const nodeId of inOrder(graph, starts)) {
    const node = graph.byId.get(nodeId);
    if (!node) continue;
    for (const [outcome, share] of outcomeShares(node, nodeTypeOf(node.nodeType), rates)) {
      const next = node.next.get(outcome);
      if (next !== undefined) add(next, (reached.get(nodeId) ?? 0) * share);
    }
  }
  return reached;
}

/** Nodes behind the starts, each after all that lead to it. A graph has no cycles. */
function inOrder(graph: CompiledGraph, starts: readonly string[]): string[] {
  const seen = new Set<string>();
  const order: string[] = [];
  const visit = (nodeId: string): void => {
    if (seen.has(nodeId)) return;
    seen.add(nodeId);
    for (const next of graph.byId.get(nodeId)?.next.values() ?? []) visit(next);
    order.push(nodeId);
  };
  for (const start of starts) visit(start);
  return order.reverse();
}
