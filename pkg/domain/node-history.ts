import type { Graph, GraphNode } from './graph.ts';

/** A node as a person wrote it; `nodeId` is assigned when absent. */
export type DraftNode = Omit<GraphNode, 'nodeId'> & { nodeId?: string | undefined };

/** What the identity of nodes depends on besides the new graph. */
export interface NodeHistory {
  /** The graph in force. */
  previous: Graph | null;
  /** Every id that any version of the workflow used: a new node never takes one, its sends would count as done. */
  used: ReadonlySet<string>;
  /** Ids of nodes that sent while runs are live; an edit must not lose them. */
  sent: ReadonlySet<string>;
}

/**
 * Gives every node of a replacing graph its id. Nodes match by `nodeId`, else by unique label and type (an absent
 * label counts as one), else they are new. `lost`: nodes with sends that the new graph doesn't contain, or that it
 * makes ambiguous (NodeIdentityLost). Source: design, "The custom resources"; catalog `graphShape`.
 */
export function keepNodeIds(nodes: readonly DraftNode[], history: NodeHistory): { nodes: GraphNode[]; lost: string[] } {
  const given = new Set(nodes.flatMap((node) => node.nodeId ?? []));
  const open = (history.previous?.nodes ?? []).filter((node) => !given.has(node.nodeId));
  const before = countBy(open);
  const now = countBy(nodes.filter((node) => node.nodeId === undefined));
  const byLook = new Map(
    open.filter((node) => before.get(lookOf(node)) === 1).map((node) => [lookOf(node), node.nodeId]),
  );
  const taken = new Set([...history.used, ...given, ...open.map((node) => node.nodeId)]);
  const assigned = nodes.map((node) => {
    const match = now.get(lookOf(node)) === 1 ? byLook.get(lookOf(node)) : undefined;
    const nodeId = node.nodeId ?? match ?? newNodeId(node, taken);
    taken.add(nodeId);
    return { nodeId, nodeType: node.nodeType, label: node.label, config: node.config };
  });
  const kept = new Set(assigned.map((node) => node.nodeId));
  return { nodes: assigned, lost: [...history.sent].filter((nodeId) => !kept.has(nodeId)).sort() };
}

/** A readable, deterministic DNS label that nobody used before. */
function newNodeId(node: DraftNode, taken: ReadonlySet<string>): string {
  const words = (node.label || node.nodeType).toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const slug = words.slice(0, 50).replace(/^-+|-+$/g, '') || 'node';
  if (!taken.has(slug)) return slug;
  for (let suffix = 2; ; suffix++) {
    const candidate = `${slug}-${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function lookOf(node: DraftNode): string {
  return `${node.nodeType}\n${node.label}`;
}

function countBy(nodes: readonly DraftNode[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(lookOf(node), (counts.get(lookOf(node)) ?? 0) + 1);
  return counts;
}
