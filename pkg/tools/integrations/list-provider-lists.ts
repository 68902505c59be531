import { z } from 'zod';
import { pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { asked, requireCrm, shownList } from './crm/crm-record.ts';

/** Catalog record ProviderList. */
const providerList = z.object({
  providerListId: z.string(),
  name: z.string(),
  kind: z.string(),
  size: z.number().nullable().describe('null: the provider does not tell.'),
});

export const listProviderLists = tool({
  name: 'svc_list_provider_lists',
  domain: 'Integrations',
  title: 'List provider lists',
  description:
    'Lists the lists, segments or campaigns of a connected provider that can be imported. Next: svc_import_provider_list.',
  example: { input: { integrationId: '$crmId', query: 'fair' } },
  scope: 'integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  workspace: 'record',
  input: z.strictObject({
    integrationId: z.string().min(1),
    query: z.string().max(200).optional(),
    ...pageParams,
  }),
  output: z.object({ providerLists: z.array(providerList), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { integrationId, query = '', limit } = input;
    const filters = { integrationId, query };
    const position = ctx.cursors.decode('svc_list_provider_lists', filters, input.cursor);
    const { crm, access } = await requireCrm(ctx, integrationId);
    const from = position?.[0];
    const cursor = from === undefined || from === null ? null : String(from);
    const page = await asked(ctx, integrationId, () =>
      crm.lists.list(access, { query, limit, cursor, signal: ctx.signal }),
    );
    return {
      providerLists: page.lists.map(shownList).map(({ id, ...list }) => ({ providerListId: id, ...list })),
      nextCursor: page.cursor === null ? null : ctx.cursors.encode('svc_list_provider_lists', filters, [page.cursor]),
    };
  },
});
