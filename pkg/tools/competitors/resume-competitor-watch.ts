import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { creditsFor } from '../../domain/credits.ts';
import type { Tx } from '../../postgres/database.ts';
import { noteSwitch, readWatch } from '../../store/watches/watches.ts';
import { resumeWatch } from '../search-watches/watch-schedule.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { requireCompetitor } from './competitor-row.ts';

/** What a check costs at least has to be there. @throws UserError */
async function requireCredit(tx: Tx, workspaceId: string): Promise<void> {
  const row = await tx.row<{ left: number }>(
    'select balance - held as left from credit_balance where workspace_id = $1',
    [workspaceId],
  );
  const left = row?.left ?? 0;
  const needed = creditsFor('competitor_check', 1);
  if (left < needed)
    throw new UserError(
      `competitor_check needs ${needed} credits, ${left} are available. Call svc_get_credit_balance.`,
      'InsufficientCredits',
    );
}

export const resumeCompetitorWatch = tool({
  name: 'svc_resume_competitor_watch',
  domain: 'Competitors',
  title: 'Resume competitor watch',
  description: 'Restarts checks. Next: svc_get_competitor_watch.',
  example: { input: { competitorWatchId: '$competitorWatchId' } },
  scope: 'competitors:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ competitorWatchId: z.string().min(1) }),
  output: z.object({ competitorWatchId: z.string(), status: z.string(), nextCheckAt: z.string() }),
  async run(ctx, { competitorWatchId }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const watch = await requireCompetitor(tx, competitorWatchId, true);
      // One that its month stopped is stopped again by its next check, where its limit still holds.
      if (!watch.enabled || watch.pauseReason !== '') {
        await requireCredit(tx, watch.workspaceId);
        await noteSwitch(tx, watch.id, now);
        await resumeWatch(tx, watch, now);
      }
      const after = await readWatch(tx, watch.id);
      return { competitorWatchId, status: 'active', nextCheckAt: iso(after?.nextFor ?? now) };
    });
  },
});
