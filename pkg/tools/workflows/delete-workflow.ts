import { z } from 'zod';
import { wrongState } from '../errors.ts';
import { tool } from '../tool.ts';
import { requireWorkflow } from './workflow-row.ts';

export const deleteWorkflow = tool({
  name: 'svc_delete_workflow',
  domain: 'Workflows',
  title: 'Delete workflow',
  description:
    'Deletes a disabled workflow, cancelling what is queued; the send ledger is kept so nobody is contacted twice later. Next: svc_list_workflows.',
  example: { input: { workflowId: '$copyId' } },
  scope: 'workflows:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ workflowId: z.string().min(1) }),
  output: z.object({ workflowId: z.string(), deleted: z.boolean(), cancelledRuns: z.number() }),
  async run(ctx, input) {
    const row = await ctx.tx((tx) => requireWorkflow(tx, input.workflowId));
    if (row.enabled) throw wrongState('The workflow is enabled; disable it first', 'svc_update_workflow_status');
    return ctx.resources.delete({
      kind: 'Workflow',
      workspaceId: row.workspace_id,
      id: row.id,
      finish: async (tx) => {
        const live = await tx.row<{ count: number }>(
          'select count(*)::int as count from run where workflow_id = $1 and ended_at is null',
          [row.id],
        );
        return { workflowId: row.id, deleted: true, cancelledRuns: live?.count ?? 0 };
      },
    });
  },
});
