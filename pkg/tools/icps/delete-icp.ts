import { z } from 'zod';
import { refreshLists } from '../../store/lead-lists.ts';
import { cancelScoring } from '../../store/scoring-jobs.ts';
import { requireCampaign, settingsOf } from '../campaigns/campaign-row.ts';
import { tool } from '../tool.ts';
import { requireIcp } from './icp-row.ts';

export const deleteIcp = tool({
  name: 'svc_delete_icp',
  domain: 'ICPs',
  title: 'Delete ICP',
  description:
    'Deletes a profile and its scores; leads below scoreMin without it leave the pool, running sequences finish. Next: svc_list_icps.',
  scope: 'icps:write',
  category: 'write',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ icpId: z.string().min(1) }),
  output: z.object({ icpId: z.string(), deleted: z.boolean(), leadsLeavingPool: z.number() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const icp = await requireIcp(tx, input.icpId);
      const { scoreMin } = settingsOf(await requireCampaign(tx, icp.campaign_id));
      const now = ctx.clocks.product.now();
      await cancelScoring(tx, icp.id, now);
      await tx.exec('update icp set deleted_at = $2 where id = $1', [icp.id, now]);
      const leaving = await tx.row<{ count: number }>(
        `select count(*)::int as count from lead_score s where s.icp_id = $1 and s.total >= $2::float8
           and not exists (select 1 from lead_score o where o.campaign_id = s.campaign_id and o.lead_id = s.lead_id and o.icp_id <> s.icp_id and o.total >= $2::float8)`,
        [icp.id, scoreMin],
      );
      await tx.exec('delete from lead_score where icp_id = $1', [icp.id]);
      await refreshLists(tx, icp.workspace_id, now);
      return { icpId: icp.id, deleted: true, leadsLeavingPool: leaving?.count ?? 0 };
    });
  },
});
