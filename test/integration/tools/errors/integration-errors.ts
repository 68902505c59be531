import { systemIds } from '../../../../pkg/base/ids.ts';
import type { ErrorRow } from './error-row.ts';

/** A CRM whose credentials were refused. Its lists can not be looked for: nobody answers. */
const unconnected = (tool: string, more: object): ErrorRow => ({
  tool,
  error: 'wrong state: integration not connected',
  refused: async ({ tools }) => {
    const integrationId = systemIds.name('int');
    await tools.force(
      `insert into integration (id, workspace_id, provider, kind, status, created_at)
       values ($1, 'acme', 'hubspot', 'crm', 'needs_auth', 1)`,
      [integrationId],
    );
    return (await tools.as({ workspace: 'acme' })).refusal(tool, { integrationId, ...more });
  },
  text: /^The integration is not connected: it needs new credentials\. Call svc_connect_integration\.$/,
});

export const INTEGRATION_ERRORS: readonly ErrorRow[] = [
  unconnected('svc_list_provider_lists', {}),
  unconnected('svc_import_provider_list', { providerListId: '1' }),
];
