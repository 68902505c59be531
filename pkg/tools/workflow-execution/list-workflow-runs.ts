import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { RUN_STATES } from '../../domain/vocabulary.ts';
import { detailParams, shaper } from '../compact.ts';
import { notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { requireWorkflow } from '../workflows/workflow-row.ts';
import { workspaceParam } from '../workspace-param.ts';
import { isStopped, listedRun, RUN_FORM, RUN_NAMES, runOf, type ShownRun } from './run-row.ts';

/** `$1`: workspace, `$2`: workflow, `$3`: lead, `$4`: state, `$5`: position, `$6`: how many, `$7`: now. */
const BY_LEAD = `select r.*, ${RUN_NAMES}, ${isStopped('$7')} as stopped
                 from (
                   select *
                   from run
                   where workspace_id = $1
                     and lead_id = $3
                     and ($2::text is null or workflow_id = $2)
                     and ($4::text is null or state = $4)
                     and ($5::uuid is null or id < $5)
                   order by id desc limit $6
                 ) r
                 order by r.id desc`;
/**
 * Each workflow's newest: the order of all runs is that of every workspace. A range of one workflow instead of its
 * equality, so that only the index of workflow and id has the order that is asked for.
 */
const BY_WORKFLOW = `select r.*, ${RUN_NAMES}, ${isStopped('$7')} as stopped
                     from (
                       select p.*
                       from workflow w
                       cross join lateral (
                         select *
                         from run r
                         where r.workspace_id = $1
                           and r.workflow_id >= w.id
                           and (r.workflow_id, r.id)
                             < (w.id, coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
                           and ($4::text is null or r.state = $4)
                         order by r.workflow_id desc, r.id desc limit $6
                       ) p
                       where w.workspace_id = $1
                         and ($2::text is null or w.id = $2)
                         and $3::uuid is null
                       order by p.id desc limit $6
                     ) r
                     order by r.id desc`;

export const listWorkflowRuns = tool({
  name: 'svc_list_workflow_runs',
  domain: 'Workflow Execution',
  title: 'List workflow runs',
  description: 'Lists lead enrolments by state, workflow or lead; use to find a runId. Next: svc_get_workflow_run.',
  example: { input: { workflowId: '$workflowId', state: 'queued' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    workflowId: z.string().min(1).optional(),
    leadId: z.string().min(1).optional(),
    state: z.enum(RUN_STATES).optional(),
    ...detailParams,
    ...pageParams,
  }),
  output: z.object({ runs: z.array(listedRun), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const filters = {
      workspaceId: ctx.workspaceId,
      workflowId: input.workflowId,
      leadId: input.leadId,
      state: input.state,
    };
    const now = ctx.clocks.product.now();
    const shape = shaper(RUN_FORM, input);
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
          tx.rows<ShownRun>(input.leadId === undefined ? BY_WORKFLOW : BY_LEAD, [
            ctx.workspaceId,
            input.workflowId ?? null,
            input.leadId ?? null,
            input.state ?? null,
            position?.[0] ?? null,
            fetch,
            now,
          ]),
        (row) => [row.id],
      );
      const runs = page.rows.map((row) => ({ ...shape(runOf(row, now)), runId: row.id }));
      return { runs, nextCursor: page.nextCursor };
    });
  },
});
