import type { GraphProblem } from '../domain/graph.ts';
import type { ParsedNode } from './compile-nodes.ts';

/** An edge as callers write it; without branch it takes the source's default outcome. */
export interface EdgeInput {
  sourceIndex: number;
  targetIndex: number;
  branch?: string | null | undefined;
}

/** outcome -> position of the next node, per node position. */
export type Wiring = readonly ReadonlyMap<string, number>[];

/** The outcome that an edge takes, or [code, message]. */
function branchOf(edge: EdgeInput, source: ParsedNode): string | readonly [string, string] {
  const name = source.type.nodeType;
  if (source.outcomes.length === 0) return ['unknown_branch', `${name} ends the run, no edge can leave it`];
  const known = source.outcomes.join(', ');
  const branch = edge.branch ?? source.type.defaultOutcome;
  if (branch === null || branch === '')
    return ['missing_outcome_branch', `${name} has no default outcome, branch must be one of ${known}`];
  if (!source.outcomes.includes(branch))
    return ['unknown_branch', `unknown branch "${branch}" of ${name}; known are ${known}`];
  return branch;
}

/** Takes one edge into the wiring, or says why not: [code, message]. */
function wire(
  edge: EdgeInput,
  nodes: readonly (ParsedNode | null)[],
  wiring: Map<string, number>[],
): readonly [string, string] | null {
  const out = (['sourceIndex', 'targetIndex'] as const).find((key) => !Object.hasOwn(nodes, edge[key]));
  if (out) return ['edge_index', `${out} ${edge[out]} is out of range; the graph has nodes 0 to ${nodes.length - 1}`];
  const source = nodes[edge.sourceIndex];
  if (!source) return null; // The node itself was refused; that is the finding.
  const branch = branchOf(edge, source);
  if (typeof branch !== 'string') return branch;
  if (nodes[edge.targetIndex]?.type.kind === 'source') {
    return ['edge_into_source', 'an edge cannot lead into a source node; sources only start runs'];
  }
  const next = wiring[edge.sourceIndex];
  const taken = next?.get(branch);
  if (taken !== undefined) {
    const message = `node ${edge.sourceIndex} already has an edge for branch "${branch}" (to node ${taken}); at most one per branch`;
    return ['duplicate_branch', message];
  }
  next?.set(branch, edge.targetIndex);
  return null;
}

/** Wires the edges; what cannot be wired is named in `errors` by its position. */
export function wireEdges(
  nodes: readonly (ParsedNode | null)[],
  edges: readonly EdgeInput[],
  errors: GraphProblem[],
): Wiring {
  const wiring = nodes.map(() => new Map<string, number>());
  edges.forEach((edge, edgeIndex) => {
    const problem = wire(edge, nodes, wiring);
    if (problem) errors.push({ nodeIndex: null, edgeIndex, code: problem[0], message: problem[1] });
  });
  return wiring;
}
