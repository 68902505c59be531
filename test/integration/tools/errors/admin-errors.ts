import { GIVEN_RECORDS } from '../../../fixtures/given-records.ts';
import { NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { absent, type ErrorRow, row } from './error-row.ts';

/** A row whose refused call is one of an admin of the platform. */
const byAdmin = (tool: string, error: string, input: object, text: RegExp): ErrorRow => ({
  tool,
  error,
  refused: ({ boss }) => boss.refusal(tool, { ...input, reason: 'test' }),
  text,
});

const admin: ErrorRow[] = [
  byAdmin(
    'svc_admin_adjust_credits',
    'would go below what is held',
    { workspaceId: 'acme', amount: -1_000_000, idempotencyKey: 'below' },
    /^Taking 1000000 credits would go below what is held; \d+ are available\. Call svc_admin_get_workspace\.$/,
  ),
  byAdmin(
    'svc_admin_delete_workspace',
    'confirmName differs from the name',
    { workspaceId: 'acme', confirmName: 'Acme' },
    /^Invalid input: confirmName: differs from the name of the workspace\. Call svc_admin_get_workspace to read it\.$/,
  ),
  {
    ...absent('svc_admin_link_account', 'networkAccount', 'Network account', NOBODY, () => ({})),
    refused: ({ boss }) =>
      boss.refusal('svc_admin_link_account', {
        action: 'link',
        accountKind: 'network',
        accountId: NOBODY,
        workspaceId: 'acme',
      }),
  },
  {
    tool: 'svc_admin_link_account',
    error:
      'the workspace that owns the account has not named the other one in sharedWith (one agency or one owner: no consent is needed)',
    refused: async ({ boss }) => {
      const network = { accountKind: 'network', workspaceId: 'acme' };
      const made = { ...network, action: 'register', externalId: 'without-consent' };
      const { accountId } = await boss.call<{ accountId: string }>('svc_admin_link_account', made);
      return boss.refusal('svc_admin_link_account', { ...network, action: 'link', accountId, workspaceId: 'rival' });
    },
    text: /belongs to another workspace, which has not let "rival" in/,
  },
  byAdmin(
    'svc_admin_set_send_freeze',
    'not found networkAccount',
    { frozen: true, accountId: NOBODY },
    /^Network account ".*" was not found\. Call svc_list_network_accounts/,
  ),
  {
    tool: 'svc_admin_resolve_dead_letter',
    error: 'retry of a send whose outcome is unknown',
    refused: async ({ boss, tools, runId, accountId }) => {
      const named: Record<string, string> = { runId, networkAccountId: accountId, workspaceId: 'acme' };
      const deadLetterId = await GIVEN_RECORDS['deadLetterId']?.make(tools, (name) => named[name]);
      return boss.refusal('svc_admin_resolve_dead_letter', { deadLetterId, resolution: 'retry', reason: 'test' });
    },
    text: /^The outcome of this action is unknown; look it up or mark it before a retry\. Call svc_admin_resolve_dead_letter\.$/,
  },
];

const integrations: ErrorRow[] = [
  absent('svc_connect_integration', 'webhookTemplate', 'Webhook template', NOBODY, () => ({
    provider: 'webhook',
    url: 'https://hooks.acorn.example/in',
    webhookTemplateId: NOBODY,
  })),
  {
    tool: 'svc_connect_integration',
    error: 'not found delivery',
    refused: async ({ acme, tools }) => {
      await tools.force(
        `insert into integration (id, workspace_id, provider, kind, url, created_at)
         values ('int-hooked', 'acme', 'webhook', 'webhook', 'https://hooks.acorn.example/in', 1)`,
      );
      const input = { provider: 'webhook', integrationId: 'int-hooked', deliveryIds: [NOBODY] };
      return acme.refusal('svc_connect_integration', input);
    },
    text: /^Delivery ".*" was not found\. Call svc_list_integrations/,
  },
  {
    tool: 'svc_connect_integration',
    error: 'events whose scope the caller lacks',
    refused: async ({ tools }) => {
      const narrow = await tools.as({ workspace: 'acme', scopes: ['integrations:write'] });
      const input = { provider: 'webhook', url: 'https://hooks.acorn.example/in', events: ['reply.received'] };
      return narrow.refusal('svc_connect_integration', input);
    },
    text: /^Scope inbox:read is required to follow reply\.received\. Call svc_whoami/,
  },
  row(
    'svc_connect_integration',
    'test call failed (message carries the status)',
    // Nobody listens on the port of the discard service.
    () => ({ provider: 'hubspot', credentials: { token: 'x', url: 'http://127.0.0.1:9' } }),
    /^The test call failed: .* Nothing was stored\. Call svc_list_integrations\.$/,
  ),
];

export const ADMIN_ERRORS: readonly ErrorRow[] = [...integrations, ...admin];
