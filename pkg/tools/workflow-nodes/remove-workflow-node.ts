import { z } from 'zod';
import type { Graph } from '../../domain/graph.ts';
import { outcomesOf, type Removal, removeNode } from '../../nodes/edit-graph.ts';
import type { Tx } from '../../postgres/database.ts';
import { type Followed, followRemoval, graphUnderWay, type NodeRemoval } from '../../store/runs/node-removal.ts';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { changeGraph, requireNode } from './change-graph.ts';

export const removeWorkflowNode = tool({
  name: 'svc_remove_workflow_node',
  domain: 'Workflow Nodes',
  title: 'Remove workflow node',
  description:
    "Takes a node out, joining its predecessor to the chosen branch's successor; leads standing there move on to it. Next: svc_validate_workflow.",
  example: { input: { workflowId: '$workflowId', nodeId: '$nodeId' } },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    nodeId: z.string().min(1),
    keepBranch: z.string().max(60).optional(),
    expectedGraphVersion: z.int().min(1).optional(),
  }),
  output: z.object({
    nodeId: z.string(),
    graphVersion: z.number(),
    nodeCount: z.number(),
    leadsMoved: z.number(),
  }),
  async run(ctx, input) {
    const { nodeId, keepBranch } = input;
    let successorId: string | null = null;
    /** A call before this one took the node out and was cut off: its leads are on this version still. */
    let unfinished: { version: number; graph: Graph } | undefined;
    let left: { removal: NodeRemoval; after: string } | undefined;
    const answer = await changeGraph(ctx, {
      workflowId: input.workflowId,
      expectedGraphVersion: input.expectedGraphVersion,
      look: async (tx, row) => {
        const found = await graphUnderWay(tx, row.id, nodeId);
        unfinished = found && found.version < row.graph_version ? found : undefined;
      },
      edit: (graph) => {
        if (unfinished && !has(graph, nodeId)) {
          successorId = removal(unfinished.graph, nodeId, keepBranch).successorId;
          if (successorId !== null) requireNode(graph, successorId);
          return graph;
        }
        unfinished = undefined;
        const removed = removal(graph, nodeId, keepBranch);
        successorId = removed.successorId;
        return removed.graph;
      },
      finish: async (tx, row, before) => {
        const now = ctx.clocks.product.now();
        const removal = {
          workspaceId: row.workspace_id,
          workflowId: row.id,
          nodeId,
          successorId,
          fromVersion: unfinished?.version ?? before.graph_version,
          toVersion: row.graph_version,
          actor: actorOf(ctx),
          now,
        };
        const { moved: leadsMoved, next } = await follow(tx, removal, null);
        left = next === null ? undefined : { removal, after: next };
        return { nodeId, graphVersion: row.graph_version, nodeCount: row.node_count, leadsMoved };
      },
    });
    let { leadsMoved } = answer;
    while (left) {
      const { removal, after } = left;
      // The one who repeats a call that was cut off here goes on with who is left.
      ctx.signal.throwIfAborted();
      const { moved, next } = await ctx.tx((tx) => follow(tx, removal, after));
      leadsMoved += moved;
      left = next === null ? undefined : { removal, after: next };
    }
    return { ...answer, leadsMoved };
  },
});

/** A part of the leads follows, and those who moved are gone on with. */
async function follow(tx: Tx, removal: NodeRemoval, after: string | null): Promise<Followed> {
  const followed = await followRemoval(tx, removal, after);
  if (followed.moved > 0) await wakeWorkspace(tx, removal.workspaceId, removal.now, 'node removed');
  return followed;
}

const has = (graph: Graph, nodeId: string): boolean => graph.nodes.some((node) => node.nodeId === nodeId);

/** @throws UserError when the graph has no such node, or the node no such branch */
function removal(graph: Graph, nodeId: string, keepBranch: string | undefined): Removal {
  const known = outcomesOf(requireNode(graph, nodeId));
  if (keepBranch !== undefined && !known.includes(keepBranch)) {
    throw invalidInput(
      'keepBranch',
      `the node has ${known.length ? `the branches ${known.join(', ')}` : 'no branches'}`,
    );
  }
  return removeNode(graph, nodeId, keepBranch);
}
