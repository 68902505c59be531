import type { JsonObject } from '../base/json.ts';
import type { CompiledGraph, CompiledNode, Graph, GraphProblem } from '../domain/graph.ts';
import { positionsInCycles, reachableFrom } from '../domain/graph-rules.ts';
import { type EdgeInput, type Wiring, wireEdges } from './compile-edges.ts';
import { type NodeInput, type ParsedNode, parseNodes } from './compile-nodes.ts';
import { craftProblems } from './craft-problems.ts';
import { nextSendNode } from './next-send.ts';
import { textProblems } from './text-problems.ts';

/** A graph as callers and resources write it. */
export interface GraphInput {
  nodes: readonly NodeInput[];
  edges: readonly EdgeInput[];
}

/** Without errors both graphs are there; with errors neither. Warnings never refuse a graph. */
export interface CompileResult {
  compiled: CompiledGraph | null;
  /** As given, with nodeId filled in; what is stored. An absent label stays empty. */
  graph: Graph | null;
  errors: GraphProblem[];
  warnings: GraphProblem[];
}

export const MAX_NODES = 200;
export const MAX_EDGES = 400;

const graphProblem = (code: string, message: string): GraphProblem => ({
  nodeIndex: null,
  edgeIndex: null,
  code,
  message,
});
const nodeProblem = (nodeIndex: number, code: string, message: string): GraphProblem => ({
  nodeIndex,
  edgeIndex: null,
  code,
  message,
});

function sizeProblems(input: GraphInput): GraphProblem[] {
  const problems: GraphProblem[] = [];
  if (input.nodes.length === 0) problems.push(graphProblem('empty_graph', 'a graph needs at least one node'));
  if (input.nodes.length > MAX_NODES) {
    problems.push(graphProblem('too_many_nodes', `${input.nodes.length} nodes; at most ${MAX_NODES}`));
  }
  if (input.edges.length > MAX_EDGES) {
    problems.push(graphProblem('too_many_edges', `${input.edges.length} edges; at most ${MAX_EDGES}`));
  }
  return problems;
}

/** Where runs start: the sources, or node 0 when there is none. */
function startsOf(nodes: readonly ParsedNode[]): readonly number[] {
  const sources = nodes.filter((node) => node.type.kind === 'source').map((node) => node.index);
  return sources.length > 0 ? sources : [0];
}

function structureProblems(nodes: readonly ParsedNode[], wiring: Wiring): GraphProblem[] {
  const targets = wiring.map((next) => [...next.values()]);
  const cycles = positionsInCycles(targets);
  const problems = cycles.map((at) =>
    nodeProblem(at, 'cycle', `node ${at} leads back to itself; a graph has no cycles`),
  );
  const reached = reachableFrom(startsOf(nodes), targets);
  for (const node of nodes) {
    if (node.type.kind === 'source' && !wiring[node.index]?.has('next')) {
      const message = `${node.type.nodeType} feeds nobody: it needs an edge to the first step`;
      problems.push(nodeProblem(node.index, 'missing_outcome_branch', message));
    }
    if (!reached.has(node.index)) {
      const message = `node ${node.index} cannot be reached from ${startsOf(nodes)
        .map((at) => `node ${at}`)
        .join(', ')}; add an edge to it`;
      problems.push(nodeProblem(node.index, 'unreachable', message));
    }
  }
  return problems;
}

function build(nodes: readonly ParsedNode[], wiring: Wiring): CompiledGraph {
  const compiled = nodes.map((node): CompiledNode => {
    const next = [...(wiring[node.index] ?? [])].map(([branch, to]): [string, string] => [
      branch,
      nodes[to]?.nodeId ?? '',
    ]);
    const { nodeId, label, index, config } = node;
    return { nodeId, nodeType: node.type.nodeType, label, index, config, next: new Map(next) };
  });
  const sources = compiled.filter((_node, index) => nodes[index]?.type.kind === 'source');
  const preferred = sources.find((node) => node.nodeType === 'source:manual') ?? sources[0];
  return {
    nodes: compiled,
    byId: new Map(compiled.map((node) => [node.nodeId, node])),
    sources,
    entryNodeId: preferred?.next.get('next') ?? compiled[0]?.nodeId ?? '',
    nodeCount: compiled.length + 1,
  };
}

function reviewProblems(graph: CompiledGraph): GraphProblem[] {
  return graph.nodes
    .filter((node) => node.nodeType === 'flow:review' && nextSendNode(graph, node.nodeId) === null)
    .map((node) => {
      const message =
        'flow:review has no draft to show: a connection request or message must follow on its branch approved';
      return nodeProblem(node.index, 'review_without_send', message);
    });
}

/** A node without a default outcome leads nowhere by itself: each of its outcomes needs an edge (flow:end ends there). */
function openArms(nodes: readonly ParsedNode[], graph: CompiledGraph): GraphProblem[] {
  return nodes.flatMap((node) => {
    const next = graph.nodes[node.index]?.next;
    if (!next || node.type.defaultOutcome !== null) return [];
    const { nodeType } = node.type;
    const message = (outcome: string): string =>
      `branch "${outcome}" of ${nodeType} has no edge; lead it to a step, or to a flow:end`;
    return node.outcomes
      .filter((outcome) => !next.has(outcome))
      .map((outcome) => nodeProblem(node.index, 'missing_outcome_branch', message(outcome)));
  });
}

/** What is behind a hand-over is never come to: the lead goes on elsewhere. */
function behindHandOver(graph: CompiledGraph): GraphProblem[] {
  return graph.nodes
    .filter((node) => node.nodeType === 'flow:handoff' && node.next.has('done'))
    .map((node) => {
      const message = 'flow:handoff ends the run when it is done: nobody takes its branch "done"';
      return nodeProblem(node.index, 'runs_end_here', message);
    });
}

/** Outcomes that silently end runs although the writer most likely meant them to go on. */
function endsHereWarnings(nodes: readonly ParsedNode[], graph: CompiledGraph): GraphProblem[] {
  return nodes.flatMap((node) => {
    const name = node.type.nodeType;
    const next = graph.nodes[node.index]?.next;
    if (!next || (name !== 'flow:condition' && name !== 'network:wait_connection')) return [];
    const missing = node.outcomes.filter((outcome) => !next.has(outcome));
    const matters = next.size === 0 ? missing : missing.filter((outcome) => outcome === 'accepted');
    return matters.map((outcome) =>
      nodeProblem(
        node.index,
        'runs_end_here',
        `branch "${outcome}" of ${name} has no edge: its runs end here as completed`,
      ),
    );
  });
}

function storedGraph(input: GraphInput, nodes: readonly ParsedNode[]): Graph {
  return {
    nodes: nodes.map((node) => ({
      nodeId: node.nodeId,
      nodeType: node.type.nodeType,
      label: input.nodes[node.index]?.label ?? '',
      config: (input.nodes[node.index]?.config ?? {}) as JsonObject,
    })),
    edges: input.edges.map((edge) => ({
      sourceIndex: edge.sourceIndex,
      targetIndex: edge.targetIndex,
      branch: edge.branch ?? null,
    })),
  };
}

/**
 * Checks a graph by all rules of the catalog's `graphShape` and makes it ready to run. Pure; ids inside configs are
 * resolved by the caller. Never throws for a bad graph: every finding names its node or edge by position.
 * @param inForce a version that was taken already: an arm without an edge, or a text with placeholders of other tools, which
 *   older programs took, is a warning
 */
export function compileGraph(input: GraphInput, { inForce = false } = {}): CompileResult {
  const refused = (errors: GraphProblem[]): CompileResult => ({ compiled: null, graph: null, errors, warnings: [] });
  const errors = sizeProblems(input);
  if (errors.length > 0) return refused(errors);
  const parsed = parseNodes(input.nodes, errors);
  const wiring = wireEdges(parsed, input.edges, errors);
  const nodes = parsed.filter((node) => node !== null);
  if (errors.length > 0) return refused(errors);
  errors.push(...structureProblems(nodes, wiring));
  if (errors.length > 0) return refused(errors);
  const compiled = build(nodes, wiring);
  const open = openArms(nodes, compiled);
  const texts = textProblems(nodes);
  const refusable = [...open, ...texts.errors];
  errors.push(...reviewProblems(compiled), ...craftProblems(compiled), ...(inForce ? [] : refusable));
  if (errors.length > 0) return refused(errors);
  const warnings = [
    ...(inForce ? refusable : []),
    ...texts.warnings,
    ...endsHereWarnings(nodes, compiled),
    ...behindHandOver(compiled),
  ];
  return { compiled, graph: storedGraph(input, nodes), errors: [], warnings };
}
