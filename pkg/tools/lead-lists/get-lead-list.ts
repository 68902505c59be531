import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { type LeadRow, leadColumns, leadOf, leadRecord } from '../records/lead.ts';
import { tool } from '../tool.ts';
import { leadList, listOf, requireList } from './list-row.ts';

export const getLeadList = tool({
  name: 'svc_get_lead_list',
  domain: 'Lead Lists',
  title: 'Get lead list',
  description: 'Reads one list and a page of its leads. Next: svc_add_leads_to_list or svc_trigger_workflow.',
  scope: 'lead_lists:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ leadListId: z.string().min(1), ...pageParams }),
  output: z.object({ leadList, leads: z.array(leadRecord), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const list = await requireList(tx, input.leadListId);
      const page = await pageOf(
        ctx,
        'svc_get_lead_list',
        input,
        { leadListId: list.id },
        (position, fetch) =>
          tx.rows<LeadRow>(
            `select ${leadColumns(ctx.clocks.product.now())} join lead_list_member m on m.lead_id = l.id
             where m.lead_list_id = $3 and l.erased_at is null and ($4::uuid is null or l.id > $4) order by l.id limit $5`,
            [list.workspace_id, list.campaign_id, list.id, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      );
      return { leadList: listOf(list), leads: page.rows.map(leadOf), nextCursor: page.nextCursor };
    });
  },
});
