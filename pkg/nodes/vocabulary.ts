import { ACTIONS, BUDGET_ACTIONS } from '../domain/actions.ts';
import { NODE_TYPES_VERSION } from './define.ts';
import type { AnyNodeType } from './node-type.ts';
import { NODE_TYPES } from './registry.ts';

export { NODE_TYPES_VERSION };

/** One entry of svc_get_workflow_node_types; catalog record NodeType. */
export interface NodeTypeEntry {
  nodeType: string;
  what: string;
  configHint: Record<string, string>;
  outcomes: string[];
  defaultOutcome: string | null;
  /** The budget that an action spends; a noted request spends connection_request_with_note as well. */
  budget: string | null;
  billable: string | null;
  reviewable: boolean;
}

/** Budget of the smallest config that the type accepts; the action itself is the same for every config. */
function budgetOf(type: AnyNodeType): string | null {
  if (type.kind === 'call') return type.budget;
  if (type.kind !== 'effect') return null;
  return BUDGET_ACTIONS.find((action) => ACTIONS[action].nodeType === type.nodeType) ?? null;
}

function entryOf(type: AnyNodeType): NodeTypeEntry {
  return {
    nodeType: type.nodeType,
    what: type.what,
    configHint: { ...type.configHint },
    outcomes: typeof type.outcomes === 'function' ? ['<branch name>'] : [...type.outcomes],
    defaultOutcome: type.defaultOutcome,
    budget: budgetOf(type),
    // Texts by the built-in template writer cost nothing.
    billable: type.kind === 'call' ? type.billable : null,
    reviewable: type.kind === 'effect' && type.reviewable,
  };
}

/** The node types that work, for svc_get_workflow_node_types. */
export function nodeVocabulary(): NodeTypeEntry[] {
  return [...NODE_TYPES.values()].map(entryOf);
}

/** How a graph is written. Source: catalog `graphShape`. */
export const GRAPH_SHAPE = {
  nodes: 'array of {nodeId?: string, nodeType: string, label?: string, config?: object}; index = position, zero-based',
  edges:
    "array of {sourceIndex: int, targetIndex: int, branch?: string}; without branch the edge takes the source's default outcome",
  rules: [
    'source:entry is prepended by the platform, hidden from nodes, counted in nodeCount, wired to every node without an incoming edge that is a source:* node, else to node 0',
    'no edge leads into a source:* node, and every source:* node needs an edge',
    'at most one edge per (source, branch)',
    'no cycles',
    'every non-source node reachable',
    'an outcome without an edge ends the run as completed, except failure outcomes (failed), which end it as failed, and missing_data, which ends it as stopped',
    'a node without a default outcome (flow:split) needs an edge for each of its outcomes, named by its branch',
    'a flow:review needs a connection request or message behind its branch approved',
    'at most 200 nodes, 400 edges',
    'stored nodes have a stable nodeId (a DNS label); on replacement nodes match by nodeId, else by unique label and type, else they are new',
  ],
} as const;
