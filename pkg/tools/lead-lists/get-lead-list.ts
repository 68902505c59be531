import { z } from 'zod';
import { type CompactForm, detailParams } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { LEAD_FORM, listedLead, listedLeads, readLeads } from '../records/lead.ts';
import { tool } from '../tool.ts';
import { leadList, listOf, requireList } from './list-row.ts';

/** With the score of the list's campaign, where it has one. */
const MEMBER_FORM: CompactForm = { ...LEAD_FORM, kept: ['firstName', 'fullName', 'title', 'company', 'email'] };

export const getLeadList = tool({
  name: 'svc_get_lead_list',
  domain: 'Lead Lists',
  title: 'Get lead list',
  description: 'Reads one list and a page of its leads. Next: svc_add_leads_to_list or svc_trigger_workflow.',
  example: { input: { leadListId: '$leadListId' } },
  scope: 'lead_lists:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ leadListId: z.string().min(1), ...detailParams, ...pageParams }),
  output: z.object({ leadList, leads: z.array(listedLead), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const list = await requireList(tx, input.leadListId);
      const page = await pageOf(
        ctx,
        'svc_get_lead_list',
        input,
        { leadListId: list.id },
        (position, fetch) =>
          tx.rows<{ id: string }>(
            `select m.lead_id as id from lead_list_member m join lead l on l.id = m.lead_id and l.erased_at is null
             where m.lead_list_id = $1 and ($2::uuid is null or m.lead_id > $2) order by m.lead_id limit $3`,
            [list.id, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      );
      const rows = await readLeads(tx, {
        workspaceId: list.workspace_id,
        leadIds: page.rows.map((row) => row.id),
        campaignId: list.campaign_id,
        now: ctx.clocks.product.now(),
      });
      return { leadList: listOf(list), leads: listedLeads(rows, input, MEMBER_FORM), nextCursor: page.nextCursor };
    });
  },
});
