import { z } from 'zod';
import { changeIcp } from '../../store/campaigns/icps.ts';
import { restartScoring } from '../../store/scoring/scoring-jobs.ts';
import { criterionTexts } from '../criterion-texts.ts';
import { tool } from '../tool.ts';
import { companySizes } from './company-sizes.ts';
import { requireIcp } from './icp-row.ts';

export const updateIcp = tool({
  name: 'svc_update_icp',
  domain: 'ICPs',
  title: 'Update ICP',
  description: 'Replaces given criteria lists and marks its scores stale. Next: svc_trigger_icp_scoring.',
  example: { input: { icpId: '$icpId', keywords: ['robotics'] } },
  scope: 'icps:write',
  category: 'write',
  // Scores that rise bring leads into the pool of an active campaign, and schedules and agents seek by it.
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    icpId: z.string().min(1),
    titles: criterionTexts(100).describe('Job titles; any match.'),
    industries: criterionTexts(100),
    seniorities: criterionTexts(20).describe('e.g. owner, c_suite, vp, director, manager, senior, entry.'),
    companySizes: companySizes.describe('Range strings, e.g. "11-50", "1001-5000", "10001+".'),
    keywords: criterionTexts(100),
  }),
  output: z.object({ icpId: z.string(), scoresStale: z.boolean() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const icp = await requireIcp(tx, input.icpId);
      const row = await changeIcp(tx, icp.id, {
        titles: input.titles ?? null,
        industries: input.industries ?? null,
        seniorities: input.seniorities ?? null,
        companySizes: input.companySizes ?? null,
        keywords: input.keywords ?? null,
      });
      if (row?.changed) await restartScoring(tx, icp.id, ctx.clocks.product.now());
      return { icpId: icp.id, scoresStale: row?.scoresStale ?? true };
    });
  },
});
