import { z } from 'zod';
import { stopRunsOf } from '../../store/schedules/scheduled-runs.ts';
import { switchSchedule } from '../../store/schedules/schedules.ts';
import { releaseHoldsOf } from '../../store/watches/watch-holds.ts';
import { noteSwitch } from '../../store/watches/watches.ts';
import { tool } from '../tool.ts';
import { requireCompetitor } from './competitor-row.ts';

export const pauseCompetitorWatch = tool({
  name: 'svc_pause_competitor_watch',
  domain: 'Competitors',
  title: 'Pause competitor watch',
  description: 'Stops checks and their cost. Next: svc_resume_competitor_watch.',
  example: { input: { competitorWatchId: '$competitorWatchId' } },
  scope: 'competitors:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ competitorWatchId: z.string().min(1) }),
  output: z.object({ competitorWatchId: z.string(), status: z.string() }),
  async run(ctx, { competitorWatchId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const watch = await requireCompetitor(tx, competitorWatchId, true);
      if (watch.enabled) {
        await switchSchedule(tx, watch.id, null);
        await noteSwitch(tx, watch.id, now);
      }
      await releaseHoldsOf(tx, watch, now);
      await stopRunsOf(tx, watch.id, now, 'stopped: the watch was paused');
      return { competitorWatchId, status: 'paused' };
    });
  },
});
