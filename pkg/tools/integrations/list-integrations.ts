import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import {
  CONNECTABLE,
  INTEGRATION_COLUMNS,
  type IntegrationView,
  integrationOf,
  integrationRecord,
} from './integration-row.ts';

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
  input: z.strictObject({
    workspaceId: workspaceParam,
    kind: z.enum(['crm', 'outreach', 'webhook', 'chat']).optional(),
    ...pageParams,
  }),
  output: z.object({
    integrations: z.array(integrationRecord),
    available: z.array(z.string()),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const filters = { workspaceId: ctx.workspaceId, kind: input.kind };
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_integrations',
        input,
        filters,
        (position, fetch) =>
          tx.rows<IntegrationView>(
            `select ${INTEGRATION_COLUMNS} from integration where workspace_id = $1 and deleted_at is null
               and ($2::text is null or kind = $2) and ($3::text is null or id > $3) order by id limit $4`,
            [ctx.workspaceId, input.kind ?? null, position?.[0] ?? null, fetch],
          ),
        (row) => [row.id],
      ),
    );
    const { rows, nextCursor } = page;
    return { integrations: rows.map(integrationOf), available: [...CONNECTABLE.keys()], nextCursor };
  },
});
