import type { WorkflowSpec } from '../../api/specs.ts';
import { UserError } from '../../base/errors.ts';
import type { Graph, GraphProblem } from '../../domain/graph.ts';
import { compileGraph, type GraphInput } from '../../nodes/compile-graph.ts';
import type { GraphParam } from '../records/graph.ts';

/** A graph parameter with its lists present, as the compiler takes it. */
export function graphOf(graph: GraphParam | GraphInput): Parameters<typeof compileGraph>[0] {
  return { nodes: graph.nodes ?? [], edges: graph.edges ?? [] };
}

/** Compiles a graph. @throws UserError naming every problem with its path and svc_get_workflow_node_types */
export function requireValidGraph(graph: GraphParam | GraphInput): ReturnType<typeof compileGraph> {
  const result = compileGraph(graphOf(graph));
  if (result.errors.length === 0) return result;
  const problems = result.errors.slice(0, 10).map((problem) => `${pathOf(problem)}: ${problem.message}`);
  throw new UserError(
    `Invalid input: ${problems.join('; ')}. Call svc_get_workflow_node_types for the vocabulary.`,
    'InvalidGraph',
  );
}

/** `graph.nodes.3` for a finding of the compiler. */
function pathOf(problem: GraphProblem): string {
  if (problem.nodeIndex !== null) return `graph.nodes.${problem.nodeIndex}`;
  return problem.edgeIndex !== null ? `graph.edges.${problem.edgeIndex}` : 'graph';
}

/** A compiled graph as the resource holds it: an edge of the default outcome names no branch. */
export function graphSpecOf(graph: Graph): WorkflowSpec['graph'] {
  const edges = graph.edges.map(({ sourceIndex, targetIndex, branch }) => ({
    sourceIndex,
    targetIndex,
    ...(branch ? { branch } : {}),
  }));
  return { nodes: graph.nodes.map((node) => ({ ...node })), edges };
}
