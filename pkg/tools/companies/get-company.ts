import { z } from 'zod';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { companyOf, companyRecord, liveSignals, requireCompany } from './company-row.ts';
import { contactStates, NO_CONTACT } from './contact-state.ts';

export const getCompany = tool({
  name: 'svc_get_company',
  domain: 'Companies',
  title: 'Get company',
  description:
    "Reads one company with live signals and this workspace's contact history there. Next: svc_list_company_leads.",
  example: { input: { companyId: '$companyId' } },
  scope: 'leads:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ companyId: z.string().min(1), workspaceId: workspaceParam }),
  output: z.object({ company: companyRecord }),
  async run(ctx, input) {
    return ctx.tx(async (tx) => {
      const row = await requireCompany(tx, ctx.workspaceId, input.companyId);
      const contact = (await contactStates(tx, ctx.workspaceId, [row.id])).get(row.id) ?? NO_CONTACT;
      const now = ctx.clocks.product.now();
      const signals = await liveSignals(tx, { workspaceId: ctx.workspaceId, companyIds: [row.id], now });
      return { company: companyOf(row, contact, signals.get(row.id) ?? []) };
    });
  },
});
