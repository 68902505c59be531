import { systemIds } from '../../../../pkg/base/ids.ts';
import { type ErrorRow, row } from './error-row.ts';

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

const span = { startTime: '2026-03-03T09:00:00Z', endTime: '2026-03-03T10:00:00Z' };
const noCalendar = (tool: string, input: object): ErrorRow =>
  row(
    tool,
    'no connected provider account linked to the workspace',
    () => input,
    /^No connected provider account with a calendar is linked to the workspace\. Call svc_list_[a-z]+_accounts\.$/,
  );

export const INTEGRATION_ERRORS: readonly ErrorRow[] = [
  noCalendar('svc_get_free_slots', { fromDate: '2026-03-03' }),
  noCalendar('svc_check_calendar_availability', span),
  unconnected('svc_list_provider_lists', {}),
  unconnected('svc_import_provider_list', { providerListId: '1' }),
];
