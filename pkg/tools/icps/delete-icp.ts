import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { deleteIcpRow } from '../../store/campaigns/icps.ts';
import { refreshLists } from '../../store/lists/lead-lists.ts';
import { cancelScoring } from '../../store/scoring/scoring-jobs.ts';
import { forgetScores } from '../../store/scoring/scoring-pass.ts';
import { requireCampaign, settingsOf } from '../campaigns/campaign-row.ts';
import { tool } from '../tool.ts';
import { type IcpRow, requireIcp } from './icp-row.ts';

export const deleteIcp = tool({
  name: 'svc_delete_icp',
  domain: 'ICPs',
  title: 'Delete ICP',
  description:
    'Deletes a profile and its scores; leads below scoreMin without it leave the pool, running sequences finish. Next: svc_list_icps.',
  example: { input: { icpId: '$icpId' } },
  scope: 'icps:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ icpId: z.string().min(1) }),
  output: z.object({ icpId: z.string(), deleted: z.boolean(), leadsLeavingPool: z.number() }),
  async run(ctx, input) {
    const { scoresLeft, ...answer } = await ctx.tx(async (tx) => {
      const icp = await requireIcp(tx, input.icpId);
      const { scoreMin } = settingsOf(await requireCampaign(tx, icp.campaign_id));
      const now = ctx.clocks.product.now();
      await cancelScoring(tx, icp.id, now);
      await deleteIcpRow(tx, icp.id, now);
      const leaving = await tx.row<{ count: number }>(
        `select count(*)::int as count
         from lead_score s
         where s.icp_id = $1
           and s.total >= $2::float8
           and not exists (
             select 1
             from lead_score o
             where o.campaign_id = s.campaign_id
               and o.lead_id = s.lead_id
               and o.icp_id <> s.icp_id
               and o.total >= $2::float8
           )`,
        [icp.id, scoreMin],
      );
      const scoresLeft = !(await forgetPart(tx, icp, now));
      return { icpId: icp.id, deleted: true, leadsLeavingPool: leaving?.count ?? 0, scoresLeft };
    });
    for (let left = scoresLeft; left; ) {
      left = await ctx.tx(async (tx) => {
        const icp = await tx.row<Forgotten>('select id, workspace_id from icp where id = $1', [answer.icpId]);
        return icp !== undefined && !(await forgetPart(tx, icp, ctx.clocks.product.now()));
      });
    }
    return answer;
  },
});

type Forgotten = Pick<IcpRow, 'id' | 'workspace_id'>;

/** A part of the scores; with the last, lists that name a score follow. @returns whether none is left */
async function forgetPart(tx: Tx, icp: Forgotten, now: number): Promise<boolean> {
  if (!(await forgetScores(tx, icp.id))) return false;
  await refreshLists(tx, icp.workspace_id, now);
  return true;
}
