import type { CompiledGraph, Graph } from '../domain/graph.ts';
import { NODE_TYPES } from './registry.ts';

/** A way of a graph; `branch` null: the default outcome. */
interface Way {
  from: string;
  branch: string | null;
  to: string;
}

/** The ways of a stored graph. */
export function waysOf({ nodes, edges }: Graph): Way[] {
  return edges.flatMap(({ sourceIndex, targetIndex, branch }) => {
    const [from, to] = [nodes[sourceIndex]?.nodeId, nodes[targetIndex]?.nodeId];
    return from === undefined || to === undefined ? [] : [{ from, branch: branch ?? null, to }];
  });
}

/** The ways of a compiled graph. */
export function waysOfCompiled(graph: CompiledGraph): Way[] {
  return graph.nodes.flatMap(({ nodeId, next }) => [...next].map(([branch, to]) => ({ from: nodeId, branch, to })));
}

/**
 * Branches of a split behind which nothing reaches a person: a lead there is exposed by taking the branch, where elsewhere the
 * first effect exposes it.
 */
export function branchesWithoutEffect(
  split: { nodeId: string; branches: readonly { name: string }[] },
  nodes: readonly { nodeId: string; nodeType: string }[],
  ways: readonly Way[],
): string[] {
  const types = new Map(nodes.map(({ nodeId, nodeType }) => [nodeId, nodeType]));
  const next = Map.groupBy(ways, (way) => way.from);
  const isWithout = (name: string): boolean => {
    const open = (next.get(split.nodeId) ?? []).filter((way) => way.branch === name).map((way) => way.to);
    const seen = new Set<string>();
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const type = types.get(id);
      if (type === undefined || seen.has(id)) continue;
      seen.add(id);
      if (NODE_TYPES.get(type)?.kind === 'effect') return false;
      open.push(...(next.get(id) ?? []).map((way) => way.to));
    }
    return true;
  };
  return split.branches.map(({ name }) => name).filter(isWithout);
}
