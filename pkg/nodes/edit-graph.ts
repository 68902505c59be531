import type { Graph, GraphEdge, GraphNode } from '../domain/graph.ts';
import type { AnyNodeType } from './node-type.ts';
import { NODE_TYPES } from './registry.ts';

/** Edits of a graph by node id. They never mend: what they leave is judged by the compiler like any other graph. */

/** Where a new node goes. */
export interface Place {
  /** Default: behind the last step of the main path. */
  afterNodeId?: string | undefined;
  /** Outcome of that node; default: its default outcome. */
  branch?: string | undefined;
}

/**
 * Puts a node on a branch; what followed there follows the node, on its default outcome (on each of its outcomes where
 * it has no default). A source feeds the first step of the others instead. The node comes last in the list.
 * @param place.afterNodeId must be in the graph
 */
export function insertNode(graph: Graph, node: GraphNode, place: Place): Graph {
  const at = graph.nodes.length;
  const nodes = [...graph.nodes, node];
  if (isSource(node) && place.afterNodeId === undefined) {
    return { nodes, edges: [...graph.edges, { sourceIndex: at, targetIndex: firstStep(graph) }] };
  }
  const after = placeOf(graph, place);
  const followed = graph.edges.find(
    (edge) => edge.sourceIndex === after.index && branchOf(graph, edge) === after.branch,
  );
  const edges = graph.edges.filter((edge) => edge !== followed);
  const previous = graph.nodes[after.index];
  const unnamed = previous !== undefined && defaultOutcome(previous) === after.branch;
  edges.push({ sourceIndex: after.index, targetIndex: at, branch: unnamed ? null : after.branch });
  const outcomes = outcomesOf(node);
  if (followed && outcomes.length > 0) {
    const branches = defaultOutcome(node) === null ? outcomes : [null];
    for (const branch of branches) edges.push({ sourceIndex: at, targetIndex: followed.targetIndex, branch });
  }
  return { nodes, edges };
}

/** A graph without a node, and where its leads go on (null: the branch ended there). */
export interface Removal {
  graph: Graph;
  successorId: string | null;
}

/**
 * Takes a node out: what led to it leads to the successor of the kept branch. Without a source left the successor of
 * the first step becomes the first step.
 * @param keepBranch default: the node's default outcome
 */
export function removeNode(graph: Graph, nodeId: string, keepBranch: string | undefined): Removal {
  const index = graph.nodes.findIndex((node) => node.nodeId === nodeId);
  const node = graph.nodes[index];
  if (!node) throw new Error(`node ${nodeId} is not in the graph`);
  const kept = keepBranch ?? defaultOutcome(node);
  const out = graph.edges.filter((edge) => edge.sourceIndex === index);
  const successor = out.find((edge) => branchOf(graph, edge) === kept)?.targetIndex ?? null;
  const edges = graph.edges.flatMap((edge): GraphEdge[] => {
    if (edge.sourceIndex === index) return [];
    if (edge.targetIndex !== index) return [edge];
    return successor === null ? [] : [{ ...edge, targetIndex: successor }];
  });
  const rest = graph.nodes.filter((_, position) => position !== index);
  const wasStart = isSource(node) || index === 0;
  const first = wasStart && successor !== null && !rest.some(isSource) ? graph.nodes[successor] : undefined;
  const nodes = first ? [first, ...rest.filter((one) => one !== first)] : rest;
  const moved = (position: number): number => nodes.indexOf(graph.nodes[position] as GraphNode);
  return {
    graph: {
      nodes,
      edges: edges.map((edge) => ({
        ...edge,
        sourceIndex: moved(edge.sourceIndex),
        targetIndex: moved(edge.targetIndex),
      })),
    },
    successorId: successor === null ? null : (graph.nodes[successor]?.nodeId ?? null),
  };
}

/** Outcomes of a stored node; none for a type or a config that the vocabulary refuses. */
export function outcomesOf(node: Pick<GraphNode, 'nodeType' | 'config'>): readonly string[] {
  const type = NODE_TYPES.get(node.nodeType);
  if (!type) return [];
  if (typeof type.outcomes !== 'function') return type.outcomes;
  const config = (type as AnyNodeType).config.safeParse(node.config);
  return config.success ? type.outcomes(config.data as never) : [];
}

function defaultOutcome(node: Pick<GraphNode, 'nodeType'>): string | null {
  return NODE_TYPES.get(node.nodeType)?.defaultOutcome ?? null;
}

function isSource(node: Pick<GraphNode, 'nodeType'>): boolean {
  return NODE_TYPES.get(node.nodeType)?.kind === 'source';
}

function branchOf(graph: Graph, edge: GraphEdge): string | null {
  const source = graph.nodes[edge.sourceIndex];
  return edge.branch ?? (source ? defaultOutcome(source) : null);
}

/** The step that leads reach first: behind the first source, or node 0 where there is none. */
function firstStep(graph: Graph): number {
  const source = graph.nodes.findIndex(isSource);
  return graph.edges.find((edge) => edge.sourceIndex === source)?.targetIndex ?? 0;
}

function placeOf(graph: Graph, { afterNodeId, branch }: Place): { index: number; branch: string | null } {
  const index =
    afterNodeId === undefined ? lastStep(graph) : graph.nodes.findIndex((node) => node.nodeId === afterNodeId);
  const node = graph.nodes[index];
  return { index, branch: branch ?? (node ? (defaultOutcome(node) ?? outcomesOf(node)[0] ?? null) : null) };
}

/** The end of the main path (default outcomes from the first step on) that still can be followed. */
function lastStep(graph: Graph): number {
  let at = firstStep(graph);
  for (let hops = 0; hops < graph.nodes.length; hops++) {
    const node = graph.nodes[at];
    const main = node ? (defaultOutcome(node) ?? outcomesOf(node)[0] ?? null) : null;
    const next = graph.edges.find((edge) => edge.sourceIndex === at && branchOf(graph, edge) === main)?.targetIndex;
    const follower = next === undefined ? undefined : graph.nodes[next];
    if (next === undefined || !follower || outcomesOf(follower).length === 0) return at;
    at = next;
  }
  return at;
}
