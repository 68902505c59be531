import { z } from 'zod';
import { AUTOMATION_KINDS } from '../../domain/schedule/automation-kinds.ts';
import { lastEnded } from '../../store/schedules/scheduled-runs.ts';
import { schedulesOf } from '../../store/schedules/schedules.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { automationOf, automationRecord, isAutomation } from './automation-row.ts';

export const listAutomations = tool({
  name: 'svc_list_automations',
  domain: 'Automations',
  title: 'List automations',
  description:
    "Lists a campaign's automations: name, schedule, enabled status, last run outcome. Next: svc_get_automation_jobs or svc_toggle_automation.",
  example: { input: { campaignId: '$campaignId' } },
  scope: 'automations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ campaignId: z.string().min(1), ...pageParams }),
  output: z.object({ automations: z.array(automationRecord), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { campaignId } = input;
    return ctx.tx(async (tx) => {
      await requireCampaign(tx, campaignId);
      const page = await pageOf(
        ctx,
        'svc_list_automations',
        input,
        { campaignId },
        (after, limit) => schedulesOf(tx, campaignId, AUTOMATION_KINDS, { after, limit }),
        (row) => [row.createdAt, row.id],
      );
      const rows = page.rows.filter(isAutomation);
      const ended = await lastEnded(
        tx,
        rows.map((row) => row.id),
      );
      const lastOf = new Map(ended.map((run) => [run.scheduleId, run]));
      return { automations: rows.map((row) => automationOf(row, lastOf.get(row.id))), nextCursor: page.nextCursor };
    });
  },
});
