import { z } from 'zod';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { readGraph, requireWorkflow } from '../workflows/workflow-row.ts';
import { isStopped, shownWait, type WaitRow } from './run-row.ts';
import { nodesWithLeads } from './standing.ts';

/** Catalog record LeadAtNode. */
const leadAtNode = z.object({
  leadId: z.string(),
  runId: z.string(),
  fullName: z.string(),
  company: z.string(),
  since: z.string(),
  waitReason: z.string().nullable(),
  nextActionAt: z.string().nullable(),
});

interface Row extends WaitRow {
  id: string;
  lead_id: string;
  full_name: string;
  company: string;
  entered_at: number;
}

export const listLeadsAtNode = tool({
  name: 'svc_list_leads_at_node',
  domain: 'Workflow Execution',
  title: 'List leads at node',
  description:
    'Lists the leads now standing at one node with since when and what they wait for. Next: svc_get_workflow_run.',
  example: { input: { workflowId: '$workflowId', nodeId: 'look' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ workflowId: z.string().min(1), nodeId: z.string().min(1), ...pageParams }),
  output: z.object({ leads: z.array(leadAtNode), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const workflow = await requireWorkflow(tx, input.workflowId);
      const isIt = (node: { nodeId: string }): boolean => node.nodeId === input.nodeId;
      const current = (await readGraph(tx, workflow))?.graph.nodes ?? [];
      if (!current.some(isIt) && !(await nodesWithLeads(tx, workflow)).some(isIt))
        throw notFound('workflowNode', input.nodeId);
      const page = await pageOf(
        ctx,
        'svc_list_leads_at_node',
        input,
        { workflowId: input.workflowId, nodeId: input.nodeId },
        (position, fetch) =>
          tx.rows<Row>(
            `select
               r.id, r.lead_id, l.full_name, l.company, r.entered_at, r.state, r.wait_reason, r.due_at,
               ${isStopped('$6')} as stopped
             from run r
             join lead l on l.id = r.lead_id
             where r.workspace_id = $1
               and r.workflow_id = $2
               and r.node_id = $3
               and r.ended_at is null
               and ($4::uuid is null or r.id > $4)
             order by r.id limit $5`,
            [workflow.workspace_id, workflow.id, input.nodeId, position?.[0] ?? null, fetch, now],
          ),
        (row) => [row.id],
      );
      const leads = page.rows.map((row) => ({
        leadId: row.lead_id,
        runId: row.id,
        fullName: row.full_name,
        company: row.company,
        since: iso(row.entered_at),
        ...shownWait(row, now),
      }));
      return { leads, nextCursor: page.nextCursor };
    });
  },
});
