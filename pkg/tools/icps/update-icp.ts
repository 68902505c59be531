import { z } from 'zod';
import { restartScoring } from '../../store/scoring/scoring-jobs.ts';
import { tool } from '../tool.ts';
import { requireIcp } from './icp-row.ts';

const texts = (max: number) => z.array(z.string()).max(max).optional();

export const updateIcp = tool({
  name: 'svc_update_icp',
  domain: 'ICPs',
  title: 'Update ICP',
  description: 'Replaces given criteria lists and marks its scores stale. Next: svc_trigger_icp_scoring.',
  scope: 'icps:write',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    icpId: z.string().min(1),
    titles: texts(100).describe('Job titles; any match.'),
    industries: texts(100),
    seniorities: texts(20).describe('e.g. owner, c_suite, vp, director, manager, senior, entry.'),
    companySizes: texts(20).describe('Range strings, e.g. "11-50", "1001-5000", "10001+".'),
    keywords: texts(100),
  }),
  output: z.object({ icpId: z.string(), scoresStale: z.boolean() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const icp = await requireIcp(tx, input.icpId);
      const row = await tx.row<{ changed: boolean; scores_stale: boolean }>(
        `with before as (select * from icp where id = $1 for update)
         update icp i
         set
           titles = coalesce($2, i.titles),
           industries = coalesce($3, i.industries),
           seniorities = coalesce($4, i.seniorities),
           company_sizes = coalesce($5, i.company_sizes),
           keywords = coalesce($6, i.keywords),
           scores_stale = i.scores_stale
             or (
               coalesce($2, i.titles), coalesce($3, i.industries), coalesce($4, i.seniorities),
               coalesce($5, i.company_sizes), coalesce($6, i.keywords)
             ) is distinct from (b.titles, b.industries, b.seniorities, b.company_sizes, b.keywords)
         from before b
         where i.id = b.id
         returning
           i.scores_stale,
           (
             i.titles, i.industries, i.seniorities, i.company_sizes, i.keywords
           ) is distinct from (b.titles, b.industries, b.seniorities, b.company_sizes, b.keywords) as changed`,
        [
          icp.id,
          input.titles ?? null,
          input.industries ?? null,
          input.seniorities ?? null,
          input.companySizes ?? null,
          input.keywords ?? null,
        ],
      );
      if (row?.changed) await restartScoring(tx, icp.id, ctx.clocks.product.now());
      return { icpId: icp.id, scoresStale: row?.scores_stale ?? true };
    });
  },
});
