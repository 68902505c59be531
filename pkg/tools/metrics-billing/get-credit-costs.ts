import { z } from 'zod';
import { CREDIT_PRICES, PRICES_SINCE } from '../../domain/credits.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Catalog record CreditCost. */
const creditCost = z.object({ action: z.string(), credits: z.number(), per: z.string(), chargedWhen: z.string() });

export const getCreditCosts = tool({
  name: 'svc_get_credit_costs',
  domain: 'Metrics & Billing',
  title: 'Get credit costs',
  description: 'Lists what each billable action costs and when a charge is refunded. Next: svc_get_credit_balance.',
  example: { input: {} },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({ costs: z.array(creditCost), effectiveFrom: z.string() }),
  run: () =>
    Promise.resolve({
      costs: Object.entries(CREDIT_PRICES).map(([action, price]) => ({ action, ...price })),
      effectiveFrom: PRICES_SINCE,
    }),
});
