import { z } from 'zod';
import { endWatch } from '../search-watches/watch-schedule.ts';
import { tool } from '../tool.ts';
import { requireCompetitor } from './competitor-row.ts';

export const deleteCompetitorWatch = tool({
  name: 'svc_delete_competitor_watch',
  domain: 'Competitors',
  title: 'Delete competitor watch',
  description: 'Deletes a watch and its findings. Next: svc_list_competitor_watches.',
  example: { input: { competitorWatchId: '$competitorWatchId' } },
  scope: 'competitors:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ competitorWatchId: z.string().min(1) }),
  output: z.object({ competitorWatchId: z.string(), deleted: z.boolean() }),
  async run(ctx, { competitorWatchId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      await endWatch(tx, await requireCompetitor(tx, competitorWatchId, true), now);
      return { competitorWatchId, deleted: true };
    });
  },
});
