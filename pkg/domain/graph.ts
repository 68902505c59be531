import type { JsonObject } from '../base/json.ts';

/** A node as it is stored: nodeId assigned, label and config present. Source: catalog `graphShape`. */
export interface GraphNode {
  /** DNS label, unique in the graph, stable over edits. */
  nodeId: string;
  nodeType: string;
  label: string;
  config: JsonObject;
}

/** An edge by position; without branch it takes the source's default outcome. */
export interface GraphEdge {
  sourceIndex: number;
  targetIndex: number;
  branch?: string | null;
}

/** A stored graph (without the hidden entry node). */
export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** A node ready to run: config parsed by its type's schema, outcomes wired to node ids. */
export interface CompiledNode {
  nodeId: string;
  nodeType: string;
  label: string;
  index: number;
  /** The config with defaults, as the type's schema returns it. */
  config: unknown;
  /** outcome -> nodeId; an outcome without an edge is absent and ends the run. */
  next: ReadonlyMap<string, string>;
}

/** A graph that passed validation. */
export interface CompiledGraph {
  nodes: readonly CompiledNode[];
  byId: ReadonlyMap<string, CompiledNode>;
  /** Source nodes; empty when the campaign pool feeds the graph (a graph without a source node). */
  sources: readonly CompiledNode[];
  /** Where a lead starts that no source node brought (trigger tool, campaign pool without a source node). */
  entryNodeId: string;
  /** Includes the hidden entry node. */
  nodeCount: number;
}

/** One finding about a graph; indexes are positions in the caller's arrays. Catalog record GraphProblem. */
export interface GraphProblem {
  nodeIndex: number | null;
  edgeIndex: number | null;
  code: string;
  message: string;
}
