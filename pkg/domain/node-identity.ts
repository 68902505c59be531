import type { GraphNode } from './graph.ts';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Whether a nodeId has the form that custom resources and metrics need. */
export function isNodeId(value: string): boolean {
  return DNS_LABEL.test(value);
}

function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
}

/** What of a node decides its identity; the caller's node fits. */
export interface NodeLike {
  nodeId?: string | null | undefined;
  nodeType: string;
  label?: string | null | undefined;
}

/** An id for each node: the given one, else one made of the label (or type), the same for the same graph. */
export function assignNodeIds(nodes: readonly NodeLike[]): readonly string[] {
  const taken = new Set(nodes.flatMap((node) => (node.nodeId ? [node.nodeId] : [])));
  return nodes.map((node) => {
    if (node.nodeId) return node.nodeId;
    const base = slug(node.label ?? '') || slug(node.nodeType) || 'node';
    let id = base;
    for (let count = 2; taken.has(id); count++) id = `${base}-${count}`;
    taken.add(id);
    return id;
  });
}

const keyOf = (node: NodeLike) => `${node.nodeType}\u0000${node.label ?? ''}`;

function unique(nodes: readonly NodeLike[]): Map<string, number> {
  const count = new Map<string, number>();
  for (const node of nodes) count.set(keyOf(node), (count.get(keyOf(node)) ?? 0) + 1);
  return count;
}

/**
 * Nodes of a replacing graph with the ids of the graph they replace: by nodeId, else by a label and type that occur
 * once on both sides, else they stay without id and become new. Source: catalog `graphShape`.
 */
export function inheritNodeIds<N extends NodeLike>(previous: readonly GraphNode[], nodes: readonly N[]): N[] {
  const before = unique(previous);
  const after = unique(nodes);
  const given = new Set(nodes.flatMap((node) => (node.nodeId ? [node.nodeId] : [])));
  return nodes.map((node) => {
    const key = keyOf(node);
    if (node.nodeId || !node.label || before.get(key) !== 1 || after.get(key) !== 1) return node;
    const match = previous.find((old) => keyOf(old) === key && !given.has(old.nodeId));
    return match ? { ...node, nodeId: match.nodeId } : node;
  });
}

/** Ids of the earlier graph that the new one no longer has; with sends and live runs behind them the edit stalls. */
export function lostNodeIds(previous: readonly GraphNode[], next: readonly GraphNode[]): readonly string[] {
  const kept = new Map(next.map((node) => [node.nodeId, node.nodeType]));
  return previous.flatMap((node) => (kept.get(node.nodeId) === node.nodeType ? [] : [node.nodeId]));
}
