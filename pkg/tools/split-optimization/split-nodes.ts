import { type SplitConfig, splitConfigOf } from '../../domain/split-settings.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';
import { readGraph, type WorkflowRow } from '../workflows/workflow-row.ts';

/** A split of the graph in force. */
export interface SplitNode {
  nodeId: string;
  config: SplitConfig;
}

/**
 * The splits of a workflow's graph in force, in its order.
 * @param nodeId only this one
 * @throws UserError when the graph has no such split
 */
export async function splitNodes(tx: Tx, workflow: WorkflowRow, nodeId?: string): Promise<SplitNode[]> {
  const stored = await readGraph(tx, workflow);
  const found = (stored?.graph.nodes ?? []).flatMap((node) => {
    const config = splitConfigOf(node);
    return config && (nodeId === undefined || node.nodeId === nodeId) ? [{ nodeId: node.nodeId, config }] : [];
  });
  if (nodeId !== undefined && found.length === 0) throw notFound('splitNode', nodeId);
  return found;
}
