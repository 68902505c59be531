import { z } from 'zod';
import { dequeueJob, leaveJob, queueScoring, statusOfScoring } from '../../store/scoring/scoring-jobs.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { requireIcp } from './icp-row.ts';
import { scoringStep } from './scoring-worker.ts';

/** Chunks scored before the call answers; the background worker goes on with what is left. */
const CHUNKS_AT_ONCE = 5;

export const triggerIcpScoring = tool({
  name: 'svc_trigger_icp_scoring',
  domain: 'ICPs',
  title: 'Trigger ICP scoring',
  description:
    "Starts computing scores for the campaign's leads; run after importing leads or editing the ICP. A running pass is joined, not doubled. Next: svc_get_icp_scores.",
  example: { input: { icpId: '$icpId' } },
  scope: 'icps:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ icpId: z.string().min(1) }),
  output: z.object({ scoringJobId: z.string(), status: z.string(), leadsQueued: z.number() }),
  async run(ctx, input) {
    const job = await ctx.tx(async (tx) => {
      const icp = await requireIcp(tx, input.icpId);
      return queueScoring(tx, { id: ctx.ids.uuid(), icpId: icp.id, now: ctx.clocks.product.now() });
    });
    const status = await begin(ctx, job.id);
    return { scoringJobId: job.id, status, leadsQueued: job.total };
  },
});

/** Scores the first leads at once; a small campaign is done when the call answers. */
async function begin(ctx: ToolContext, jobId: string): Promise<'running' | 'completed' | 'failed'> {
  const holder = ctx.ids.uuid();
  const mine = await ctx.tx((tx) => dequeueJob(tx, holder, jobId));
  if (!mine) return 'running';
  for (let chunk = 0; chunk < CHUNKS_AT_ONCE; chunk++) {
    const now = ctx.clocks.product.now();
    const progress = await ctx.tx((tx) => scoringStep(tx, { holder, jobId, now }));
    if (!progress) return ctx.tx((tx) => statusOfScoring(tx, jobId));
    ctx.progress(progress.done, progress.total, 'leads scored');
    if (progress.over) return 'completed';
    // Whole chunks are kept and the job goes on without this call, whether its client waits or not.
    if (ctx.signal.aborted) break;
  }
  await ctx.tx((tx) => leaveJob(tx, holder, jobId));
  ctx.signal.throwIfAborted();
  return 'running';
}
