import { z } from 'zod';
import type { WorkflowSpec } from '../../api/specs.ts';
import { IN_FLIGHT_MODES } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { documentedDefault } from '../documented-default.ts';
import { notFound } from '../errors.ts';
import { type GraphParam, graphParam } from '../records/graph.ts';
import { tool } from '../tool.ts';
import { graphSpecOf, requireValidGraph } from './check-graph.ts';
import { requireTaken, requireVersion, requireWorkflow, type WorkflowRow } from './workflow-row.ts';

const input = z.strictObject({
  workflowId: z.string().min(1),
  name: z.string().min(1).max(120).optional(),
  graph: graphParam.optional(),
  expectedGraphVersion: z.int().min(1).optional().describe('Refuse when somebody else changed it meanwhile.'),
  inFlight: documentedDefault(z.enum(IN_FLIGHT_MODES), IN_FLIGHT_MODES[0]),
  networkAccountIds: z.array(z.string()).max(50).optional(),
  providerAccountIds: z.array(z.string()).max(50).optional(),
});

export const updateWorkflow = tool({
  name: 'svc_update_workflow',
  domain: 'Workflows',
  title: 'Update workflow',
  description:
    'Renames a workflow, sets its senders or replaces the graph as a new version; leads in flight finish on the old version or migrate by node ID. Next: svc_get_workflow.',
  example: { input: { workflowId: '$workflowId', name: 'First contact' } },
  scope: 'workflows:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output: z.object({
    workflowId: z.string(),
    graphVersion: z.number(),
    nodeCount: z.number(),
    runsMigrated: z.number(),
  }),
  async run(ctx, change) {
    if (change.graph) requireValidGraph(change.graph);
    const row = await ctx.tx(async (tx) => {
      const found = await requireWorkflow(tx, change.workflowId);
      await requireAccounts(tx, found.workspace_id, change.networkAccountIds ?? []);
      await requireProviderAccounts(tx, found.workspace_id, change.providerAccountIds ?? []);
      return found;
    });
    return ctx.resources.update({
      kind: 'Workflow',
      workspaceId: row.workspace_id,
      id: row.id,
      check: (tx) => requireVersion(tx, row.id, change.expectedGraphVersion),
      change: (spec) => changed(spec, change),
      finish: async (tx) => result(tx, change, row),
    });
  },
});

/** Absent = unchanged, list = replaced whole (catalog conventions). */
function changed(spec: WorkflowSpec, change: z.output<typeof input>): WorkflowSpec {
  return {
    ...spec,
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.graph === undefined ? {} : { graph: replacement(change.graph) }),
    ...(change.graph === undefined && change.inFlight === undefined
      ? {}
      : { inFlight: change.inFlight ?? IN_FLIGHT_MODES[0] }),
    ...(change.networkAccountIds === undefined ? {} : { networkAccountIds: change.networkAccountIds }),
    ...(change.providerAccountIds === undefined ? {} : { providerAccountIds: change.providerAccountIds }),
  };
}

function replacement(given: GraphParam): WorkflowSpec['graph'] {
  const { graph } = requireValidGraph(given);
  if (!graph) throw new Error('a valid graph was not compiled');
  return graphSpecOf(graph);
}

async function result(
  tx: Tx,
  { workflowId, inFlight }: z.output<typeof input>,
  before: WorkflowRow,
): Promise<{ workflowId: string; graphVersion: number; nodeCount: number; runsMigrated: number }> {
  const row = await requireTaken(tx, workflowId);
  // Who stands where the new version has no step finishes on the old one. The version may be there already: made by another tool, or by this call before its answer was lost.
  const migrating = await tx.row<{ count: number }>(
    `select count(*)::int as count
     from run r
     join workflow w on w.id = r.workflow_id
     where r.workflow_id = $1
       and r.ended_at is null
       and r.graph_version < w.graph_version
       and w.in_flight = 'migrate'
       and (w.graph_version > $2 or $3)
       and (
         r.node_id = ''
         or r.node_id = any (
           array(
             select n ->> 'nodeId'
             from workflow w2
             join workflow_graph g on g.workflow_id = w2.id and g.version = w2.graph_version
             cross join lateral jsonb_array_elements(g.graph -> 'nodes') n
             where w2.id = $1
           )
         )
       )`,
    [workflowId, before.graph_version, inFlight === 'migrate'],
  );
  return {
    workflowId,
    graphVersion: row.graph_version,
    nodeCount: row.node_count,
    runsMigrated: migrating?.count ?? 0,
  };
}

async function requireAccounts(tx: Tx, workspaceId: string, accountIds: readonly string[]): Promise<void> {
  const linked = await tx.rows<{ account_id: string }>(
    `select l.account_id from account_link l join network_account a on a.id = l.account_id
     where l.workspace_id = $1 and l.account_id = any ($2) and a.kind = 'network'`,
    [workspaceId, accountIds],
  );
  requireAll('networkAccount', accountIds, linked);
}

/** Mailboxes that are linked, and the workspace's calendars. */
async function requireProviderAccounts(tx: Tx, workspaceId: string, accountIds: readonly string[]): Promise<void> {
  const known = await tx.rows<{ account_id: string }>(
    `select l.account_id from account_link l join network_account a on a.id = l.account_id
     where l.workspace_id = $1 and l.account_id = any ($2) and a.kind = 'mail'
     union select id from calendar_account where workspace_id = $1 and id = any ($2) and deleted_at is null`,
    [workspaceId, accountIds],
  );
  requireAll('providerAccount', accountIds, known);
}

function requireAll(
  type: 'networkAccount' | 'providerAccount',
  asked: readonly string[],
  known: readonly { account_id: string }[],
): void {
  const missing = asked.find((id) => !known.some((one) => one.account_id === id));
  if (missing !== undefined) throw notFound(type, missing);
}
