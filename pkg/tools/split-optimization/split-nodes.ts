import { type SplitConfig, splitConfigOf } from '../../domain/split-settings.ts';
import { branchesWithoutEffect, waysOf } from '../../nodes/branches-without-effect.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';
import { readGraph, type WorkflowRow } from '../workflows/workflow-row.ts';

/** A split of the graph in force. */
export interface SplitNode {
  nodeId: string;
  config: SplitConfig;
  /** Branches behind which nothing reaches a person. */
  silent: string[];
}

/**
 * The splits of a workflow's graph in force, in its order.
 * @param nodeId only this one
 * @throws UserError when the graph has no such split
 */
export async function splitNodes(tx: Tx, workflow: WorkflowRow, nodeId?: string): Promise<SplitNode[]> {
  const stored = await readGraph(tx, workflow);
  const graph = stored?.graph ?? { nodes: [], edges: [] };
  const ways = waysOf(graph);
  const found = graph.nodes.flatMap((node) => {
    const config = splitConfigOf(node);
    if (!config || (nodeId !== undefined && node.nodeId !== nodeId)) return [];
    const split = { nodeId: node.nodeId, branches: config.branches };
    return [{ nodeId: node.nodeId, config, silent: branchesWithoutEffect(split, graph.nodes, ways) }];
  });
  if (nodeId !== undefined && found.length === 0) throw notFound('splitNode', nodeId);
  return found;
}
