import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { Graph } from '../../domain/graph.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound, wrongState } from '../errors.ts';
import { reconcileOf, reconcileStatus } from '../records/reconcile.ts';
import { iso } from '../times.ts';

/** Catalog record WorkflowSummary. */
export const workflowSummary = z.object({
  workflowId: z.string(),
  campaignId: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  graphVersion: z.number(),
  nodeCount: z.number(),
  liveRuns: z.number(),
  updatedAt: z.string(),
});

/** Catalog record Workflow. */
export const workflowRecord = z.object({
  workflowId: z.string(),
  campaignId: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  graphVersion: z.number(),
  nodeTypesVersion: z.string(),
  nodeCount: z.number(),
  graph: z.object({
    nodes: z.array(
      z.object({
        nodeId: z.string(),
        nodeType: z.string(),
        label: z.string(),
        config: z.record(z.string(), z.unknown()),
      }),
    ),
    edges: z.array(z.object({ sourceIndex: z.number(), targetIndex: z.number(), branch: z.string().nullable() })),
  }),
  networkAccountIds: z.array(z.string()),
  providerAccountIds: z.array(z.string()),
  reconcile: reconcileStatus,
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** A row of `workflow` as the tools read it. */
export interface WorkflowRow {
  id: string;
  workspace_id: string;
  campaign_id: string;
  name: string;
  enabled: boolean;
  graph_version: number;
  node_count: number;
  network_account_ids: string[];
  provider_account_ids: string[];
  graph_problem: string | null;
  reconcile: Record<string, never>;
  created_at: number;
  updated_at: number;
}

/** Reads a workflow under the caller's rights. @throws UserError not found, also for a foreign one */
export async function requireWorkflow(tx: Tx, workflowId: string): Promise<WorkflowRow> {
  const row = await tx.row<WorkflowRow>('select * from workflow where id = $1 and deleted_at is null', [workflowId]);
  if (!row) throw notFound('workflow', workflowId);
  return row;
}

/** Optimistic lock of graph changes. @throws UserError when somebody else changed the graph meanwhile */
export async function requireVersion(tx: Tx, workflowId: string, expected: number | undefined): Promise<void> {
  if (expected === undefined) return;
  const { graph_version: actual } = await requireWorkflow(tx, workflowId);
  if (actual !== expected) throw wrongState(`The graph is at version ${actual}, not ${expected}`, 'svc_get_workflow');
}

/** The row after a graph was written. @throws UserError when the projection refused it */
export async function requireTaken(tx: Tx, workflowId: string): Promise<WorkflowRow> {
  const row = await requireWorkflow(tx, workflowId);
  if (row.graph_problem === null) return row;
  throw new UserError(`The graph was not taken: ${row.graph_problem} Call svc_get_workflow.`, 'GraphRefused');
}

/** A stored graph version. */
export interface GraphRow {
  version: number;
  graph: Graph;
  node_types_version: string;
}

/** The version in force, or the named one; undefined when there is none. */
export async function readGraph(tx: Tx, row: WorkflowRow, version?: number): Promise<GraphRow | undefined> {
  return tx.row<GraphRow>(
    'select version, graph, node_types_version from workflow_graph where workflow_id = $1 and version = $2',
    [row.id, version ?? row.graph_version],
  );
}

/** The record of a row and the graph that is shown. */
export function workflowOf(row: WorkflowRow, graph: GraphRow | undefined): z.input<typeof workflowRecord> {
  return {
    workflowId: row.id,
    campaignId: row.campaign_id,
    name: row.name,
    enabled: row.enabled,
    graphVersion: graph?.version ?? row.graph_version,
    nodeTypesVersion: graph?.node_types_version ?? '',
    nodeCount: row.node_count,
    graph: {
      nodes: graph?.graph.nodes ?? [],
      edges: (graph?.graph.edges ?? []).map((edge) => ({ ...edge, branch: edge.branch ?? null })),
    },
    networkAccountIds: row.network_account_ids,
    providerAccountIds: row.provider_account_ids,
    reconcile: reconcileOf(row.reconcile, row.updated_at),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}
