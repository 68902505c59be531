import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { RUN_STATES } from '../../domain/vocabulary.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { requireWorkflow } from '../workflows/workflow-row.ts';
import { type RunRow, runOf, workflowRun } from './run-row.ts';

export const listWorkflowRuns = tool({
  name: 'svc_list_workflow_runs',
  domain: 'Workflow Execution',
  title: 'List workflow runs',
  description: 'Lists lead enrolments by state, workflow or lead; use to find a runId. Next: svc_get_workflow_run.',
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: z
      .string()
      .min(1)
      .optional()
      .describe('Optional with a workspace key (defaults to its workspace); required with a user key.'),
    workflowId: z.string().min(1).optional(),
    leadId: z.string().min(1).optional(),
    state: z.enum(RUN_STATES).optional(),
    ...pageParams,
  }),
  output: z.object({ runs: z.array(workflowRun), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const filters = {
      workspaceId: ctx.workspaceId,
      workflowId: input.workflowId,
      leadId: input.leadId,
      state: input.state,
    };
    return ctx.tx(async (tx) => {
      if (input.workflowId !== undefined) await requireWorkflow(tx, input.workflowId);
      if (input.leadId !== undefined) {
        const lead = isUuid(input.leadId)
          ? await tx.row('select 1 from lead where id = $1', [input.leadId])
          : undefined;
        if (!lead) throw notFound('lead', input.leadId);
      }
      const page = await pageOf(
        ctx,
        'svc_list_workflow_runs',
        input,
        filters,
        (position, fetch) =>
          tx.rows<RunRow>(
            `select * from run where workspace_id = $1 and ($2::text is null or workflow_id = $2)
               and ($3::uuid is null or lead_id = $3) and ($4::text is null or state = $4)
               and ($5::uuid is null or id < $5)
             order by id desc limit $6`,
            [
              ctx.workspaceId,
              input.workflowId ?? null,
              input.leadId ?? null,
              input.state ?? null,
              position?.[0] ?? null,
              fetch,
            ],
          ),
        (row) => [row.id],
      );
      return { runs: page.rows.map(runOf), nextCursor: page.nextCursor };
    });
  },
});
