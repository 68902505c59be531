import { z } from 'zod';
import { DELIVERY_STATES, readDeliveries } from '../../store/deliveries/read-deliveries.ts';
import { invalidInput, notFound } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { deliveryOf, deliveryRecord } from './delivery-row.ts';
import {
  CONNECTABLE,
  INTEGRATION_COLUMNS,
  type IntegrationView,
  integrationOf,
  integrationRecord,
} from './integration-row.ts';

const input = z.strictObject({
  workspaceId: workspaceParam,
  kind: z.enum(['crm', 'outreach', 'webhook', 'chat', 'ai', 'enrichment', 'calendar', 'mail']).optional(),
  integrationId: z
    .string()
    .min(1)
    .optional()
    .describe('Only this one; of a webhook or chat with its deliveries, newest first.'),
  deliveryState: z.enum(DELIVERY_STATES).optional().describe('Needs integrationId.'),
  ...pageParams,
});
type Request = z.output<typeof input>;

interface Listed {
  integrations: z.output<typeof integrationRecord>[];
  deliveries?: z.output<typeof deliveryRecord>[];
  available: string[];
  nextCursor: string | null;
}

export const listIntegrations = tool({
  name: 'svc_list_integrations',
  domain: 'Integrations',
  title: 'List integrations',
  description:
    'Lists connected CRMs, outreach platforms and webhooks with status, and what can be connected. Next: svc_connect_integration.',
  example: { input: { kind: 'webhook' } },
  scope: 'integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({
    integrations: z.array(integrationRecord),
    deliveries: z.array(deliveryRecord).optional(),
    available: z.array(z.string()),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, request) {
    if (request.integrationId !== undefined) return oneIntegration(ctx, request, request.integrationId);
    if (request.deliveryState !== undefined) throw invalidInput('deliveryState', 'needs integrationId');
    return allIntegrations(ctx, request);
  },
});

async function allIntegrations(ctx: ToolContext, request: Request): Promise<Listed> {
  const filters = { workspaceId: ctx.workspaceId, kind: request.kind };
  const { rows, nextCursor } = await ctx.tx((tx) =>
    pageOf(
      ctx,
      'svc_list_integrations',
      request,
      filters,
      (position, fetch) =>
        tx.rows<IntegrationView>(
          `select ${INTEGRATION_COLUMNS} from integration where workspace_id = $1 and deleted_at is null
             and ($2::text is null or kind = $2) and ($3::text is null or id > $3) order by id limit $4`,
          [ctx.workspaceId, request.kind ?? null, position?.[0] ?? null, fetch],
        ),
      (row) => [row.id],
    ),
  );
  return { integrations: rows.map(integrationOf), available: [...CONNECTABLE.keys()], nextCursor };
}

async function oneIntegration(ctx: ToolContext, request: Request, integrationId: string): Promise<Listed> {
  const { deliveryState: state, kind } = request;
  return ctx.tx(async (tx) => {
    const found = await tx.row<IntegrationView>(
      `select ${INTEGRATION_COLUMNS} from integration
       where id = $1 and workspace_id = $2 and deleted_at is null and ($3::text is null or kind = $3)`,
      [integrationId, ctx.workspaceId, kind ?? null],
    );
    if (!found) throw notFound('integration', integrationId);
    const { rows, nextCursor } = await pageOf(
      ctx,
      'svc_list_integrations',
      request,
      { workspaceId: ctx.workspaceId, integrationId, state },
      (position, limit) =>
        readDeliveries(tx, { integrationId, state, before: position ? Number(position[0]) : undefined, limit }),
      (row) => [row.number],
    );
    const deliveries = rows.map(deliveryOf);
    return { integrations: [integrationOf(found)], deliveries, available: [...CONNECTABLE.keys()], nextCursor };
  });
}
