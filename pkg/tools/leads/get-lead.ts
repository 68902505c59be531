import { z } from 'zod';
import { conversationIds, conversationsOf } from '../records/conversations.ts';
import { bestScore, leadOf, leadRecord, requireLead } from '../records/lead.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

export const getLead = tool({
  name: 'svc_get_lead',
  domain: 'Leads',
  title: 'Get lead',
  description:
    'Reads one lead with enrichment, provenance, tags, notes, suppression and contact state in this workspace. Next: svc_add_leads_to_list or svc_trigger_workflow.',
  example: { input: { leadId: '$leadId' } },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ leadId: z.string().min(1), workspaceId: workspaceParam }),
  output: z.object({ lead: leadRecord, conversationIds }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    const { workspaceId } = ctx;
    return ctx.tx(async (tx) => {
      const lead = leadOf(await requireLead(tx, { workspaceId, leadId: input.leadId, now }));
      const person = await tx.row<{ person_id: string | null }>(
        'select p.person_id from app.lead_persons($1, array[$2::uuid]) p',
        [workspaceId, lead.leadId],
      );
      return {
        lead: { ...lead, score: await bestScore(tx, workspaceId, lead.leadId) },
        conversationIds: await conversationsOf(ctx, tx, person?.person_id ?? null),
      };
    });
  },
});
