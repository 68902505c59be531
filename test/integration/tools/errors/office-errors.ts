import { systemIds } from '../../../../pkg/base/ids.ts';
import { Sealer } from '../../../../pkg/base/sealer.ts';
import { PostOffice } from '../../../../pkg/tools/mail/post-office.ts';
import { startMcp } from '../../../fixtures/mcp/harness.ts';
import type { ErrorFixture } from '../../../fixtures/tools/error-fixture.ts';
import { NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { absent, CREDITS, CREDITS_TEXT, type ErrorRow, NOT_OK, row } from './error-row.ts';

const account = ({ accountId }: ErrorFixture): { networkAccountId: string } => ({ networkAccountId: accountId });
const EXPORT = 'svc_export_network_connections';

const accounts: ErrorRow[] = [
  row(
    'svc_update_network_account_settings',
    'limit above the ceiling of the account tier',
    (fixture) => ({ ...account(fixture), dailyLimits: { message: 9_999 } }),
    /^Invalid input: dailyLimits\.message: 9999 is above the ceiling of .* Call svc_get_network_account_budgets\.$/,
  ),
  row(EXPORT, CREDITS, account, CREDITS_TEXT),
  {
    tool: EXPORT,
    error: NOT_OK,
    refused: async (fixture) => {
      fixture.network.status = 'checkpoint';
      await fixture.sync();
      const said = await fixture.acme.refusal(EXPORT, account(fixture));
      fixture.network.status = 'ok';
      await fixture.sync();
      return said;
    },
    text: /^The account is checkpoint, only ok accounts can be read\. Call svc_get_network_account_health\.$/,
  },
  {
    tool: EXPORT,
    error: 'wrong state: an export is under way',
    refused: async (fixture) => {
      await fixture.tools.grant('acme', 50);
      const list = fixture.network.listRelations.bind(fixture.network);
      // More pages than one call reads, each with somebody new.
      let page = 0;
      fixture.network.listRelations = async () => {
        const publicId = `met-${page++}`;
        const items = [{ providerId: `ACo${publicId}`, publicId, name: 'Met', headline: '', connectedAt: null }];
        return { items, cursor: `page-${page}` };
      };
      await fixture.acme.call(EXPORT, account(fixture));
      fixture.network.listRelations = list;
      return fixture.acme.refusal(EXPORT, account(fixture));
    },
    text: /^An export of this account is under way \(.+\)\. Call svc_get_import_progress\.$/,
  },
];

const UNSUBSCRIBE = '018f0000-0000-7000-8e0c-000000000001';

const exclusions: ErrorRow[] = [
  row(
    'svc_add_signal_exclusion',
    "the value excludes nobody, or everybody: a public suffix, a mail provider's domain, no address",
    () => ({ kind: 'domain', value: 'co.uk' }),
    /^Invalid input: value: is a public suffix: .* svc_check_signal_exclusion /,
  ),
  {
    tool: 'svc_remove_signal_exclusion',
    error: 'source is unsubscribe, complaint or erasure',
    refused: async ({ acme, tools }) => {
      await tools.force(
        `insert into suppression (id, workspace_id, level, kind, value, source, removable, created_at)
         values ($1, 'acme', 'workspace', 'mail', 'left@lumen.example', 'unsubscribe', false, 1)`,
        [UNSUBSCRIBE],
      );
      return acme.refusal('svc_remove_signal_exclusion', { signalExclusionId: UNSUBSCRIBE });
    },
    text: /^The exclusion is of source unsubscribe: .* nobody lifts it\. Call svc_list_signal_exclusions\.$/,
  },
];

const LAST_OWNER = 'the workspace would be left without an owner, or caller is not owner';
const KEY_OWNER = 'only the workspace owner, with a user key, can create workspace keys';
const KEY_SCOPE =
  'scope unknown, not held by the caller, "*", admin:* for a workspace key, or asked by somebody who is no platform admin; names the scopes that the key can give';
const ACME = { workspaceId: 'acme' };

const PREFERENCES = 'svc_update_notification_preferences';

const notifications: ErrorRow[] = [
  row(
    PREFERENCES,
    'unknown event kind',
    () => ({ channels: { 'reply.heard': ['email'] } }),
    /^Unknown event kind "reply\.heard"\. Call svc_get_notification_preferences to see the kinds\.$/,
  ),
  row(
    PREFERENCES,
    'no webhook or chat of the workspace follows the kind',
    () => ({ channels: { 'reply.received': ['chat'] } }),
    /^No chat of this workspace follows reply\.received\. Call svc_connect_integration /,
  ),
  {
    tool: PREFERENCES,
    error: 'the key lacks the scope that reads the kind',
    refused: async ({ tools }) => {
      const narrow = await tools.as({ workspace: 'acme', scopes: ['notifications:write'] });
      return narrow.refusal(PREFERENCES, { channels: { 'reply.received': ['email'] } });
    },
    text: /^Following reply\.received needs the scope inbox:read, which this key lacks\. Call svc_whoami /,
  },
];

const people: ErrorRow[] = [
  {
    tool: 'svc_update_workspace',
    error: 'caller is neither owner nor admin of the workspace',
    refused: ({ member }) => member.refusal('svc_update_workspace', { ...ACME, name: 'Mine' }),
    text: /^Only the owner or an admin of the workspace can .* Call svc_list_members/,
  },
  {
    tool: 'svc_update_network_account_settings',
    error: 'the account is shared, and another workspace linked it first',
    refused: async ({ rival, tools }) => {
      const networkAccountId = await tools.account('acme', 'rival');
      return rival.refusal('svc_update_network_account_settings', { networkAccountId, dailyLimits: { message: 1 } });
    },
    text: /^Limits, ramp-up, hours, pacing and who else may have this account are set by the workspace that linked it first, .*svc_get_network_account_budgets/,
  },
  {
    tool: 'svc_update_member_role',
    error: LAST_OWNER,
    refused: ({ owner, ownerId }) =>
      owner.refusal('svc_update_member_role', { ...ACME, memberId: ownerId, role: 'member' }),
    text: /^The workspace would be left without an owner; .* Call svc_list_members\.$/,
  },
  {
    tool: 'svc_update_member_role',
    error: LAST_OWNER,
    refused: ({ member, ownerId }) =>
      member.refusal('svc_update_member_role', { ...ACME, memberId: ownerId, role: 'member' }),
    text: /^Only the owner, with a user key, can change roles\. Call svc_list_members/,
  },
  {
    tool: 'svc_update_member_role',
    error: 'nothing proved the address of the member who is to be owner',
    refused: async ({ owner, tools }) => {
      const [made] = await tools.rows<{ id: string }>(
        `with made as (
           insert into app_user (id, email, created_at, unproven) values (gen_random_uuid(), 'says@x.example', 1, true) returning id
         )
         insert into member (id, workspace_id, user_id, role, joined_at) select gen_random_uuid(), 'acme', id, 'admin', 1 from made
         returning id`,
      );
      return owner.refusal('svc_update_member_role', { ...ACME, memberId: made?.id, role: 'owner' });
    },
    text: /^Nothing proved that this member has the address says@x\.example, .* Call svc_list_members\.$/,
  },
  {
    tool: 'svc_remove_member',
    error: 'the owner cannot be removed',
    refused: ({ owner, ownerId }) => owner.refusal('svc_remove_member', { ...ACME, memberId: ownerId }),
    text: /^The owner cannot be removed; .* Call svc_update_member_role\.$/,
  },
  {
    tool: 'svc_create_invitation',
    error: 'already a member',
    refused: ({ owner }) => owner.refusal('svc_create_invitation', { ...ACME, email: 'owner@acme.example' }),
    text: /^owner@acme\.example is a member already\. Call svc_list_members\.$/,
  },
  {
    tool: 'svc_create_invitation',
    error: 'the address got, or the workspace sent, as many mails as may be in a day',
    refused: async ({ tools }) => {
      const mail = new PostOffice(new Sealer('a secrets key of the tests, 32 characters'), systemIds);
      const mailing = await startMcp({ db: tools.cluster.db, product: tools.cluster.clock, mail });
      const { plaintext } = await mailing.key({ workspaceId: 'acme' });
      await tools.rows(
        `select app.queue_mail(gen_random_uuid(), 'full' || n, 'invitation', null, 'full@acme.example', '{}', null, $1, $1, 25, 25)
         from generate_series(1, 25) n`,
        [tools.now()],
      );
      const user = tools.user(await mailing.client(plaintext));
      return user.refusal('svc_create_invitation', { email: 'full@acme.example' }).finally(() => mailing.stop());
    },
    text: /^full@acme\.example got as many mails as may be in a day\. .*svc_list_invitations/,
  },
  {
    tool: 'svc_revoke_invitation',
    error: 'wrong state: already accepted',
    refused: async ({ owner, tools }) => {
      const { invitationId } = await owner.call<{ invitationId: string }>('svc_create_invitation', {
        ...ACME,
        email: 'fresh@acme.example',
        role: 'member',
      });
      await tools.rows('update invitation set accepted_at = 1 where id = $1', [invitationId]);
      return owner.refusal('svc_revoke_invitation', { invitationId });
    },
    text: /^The invitation was accepted already\. Call svc_list_members\.$/,
  },
  ...(['member', 'acme'] as const).map(
    (who): ErrorRow => ({
      tool: 'svc_create_api_key',
      error: KEY_OWNER,
      refused: (fixture) => fixture[who].refusal('svc_create_api_key', { ...ACME, name: 'K', scopes: ['leads:read'] }),
      text: /^Only the workspace owner, with a user key, can create workspace keys\. Call svc_list_members/,
    }),
  ),
  ...['tea:drink', '*', 'admin:read'].map(
    (scope): ErrorRow => ({
      tool: 'svc_create_api_key',
      error: KEY_SCOPE,
      refused: ({ owner }) => owner.refusal('svc_create_api_key', { ...ACME, name: 'K', scopes: [scope] }),
      text: /can't be given to a key: .* Call svc_whoami/,
    }),
  ),
  {
    tool: 'svc_create_api_key',
    error: 'the user or the workspace has as many live keys as it may have (50 by default)',
    refused: async ({ owner, tools }) => {
      for (let key = 0; key < 50; key++) await tools.mcp.key({ workspaceId: 'acme' });
      const text = await owner.refusal('svc_create_api_key', { ...ACME, name: 'K', scopes: ['leads:read'] });
      await tools.rows(
        `update api_key set revoked_at = 1 where name = 'test' and workspace_id = 'acme' and last_used_at is null`,
      );
      return text;
    },
    text: /^A workspace has at most 50 live keys\. Call svc_list_api_keys/,
  },
];

async function agentOf({ acme }: ErrorFixture, more: object): Promise<string> {
  const input = { name: 'Refused', signalTypes: ['new_post'], ...more };
  return (await acme.call<{ signalAgentId: string }>('svc_create_signal_agent', input)).signalAgentId;
}

const OF_NOBODY = { sources: [{ kind: 'feed', url: 'https://news.example/feed', companyId: NOBODY }] };

const rest: ErrorRow[] = [
  absent('svc_create_signal_agent', 'company', 'Company', NOBODY, () => ({
    name: 'Refused',
    signalTypes: ['funding_round'],
    ...OF_NOBODY,
  })),
  {
    tool: 'svc_update_signal_agent',
    error: 'not found company',
    refused: async (fixture) => {
      const signalAgentId = await agentOf(fixture, {});
      return fixture.acme.refusal('svc_update_signal_agent', { signalAgentId, ...OF_NOBODY });
    },
    text: /^Company "\S+" was not found\. Call svc_search_companies/,
  },
  absent('svc_get_playbook', 'signalAgent', 'Signal agent', NOBODY, () => ({ signalAgentId: NOBODY })),
  absent('svc_get_playbook', 'conversation', 'Conversation', NOBODY, () => ({ conversationId: NOBODY })),
  {
    tool: 'svc_resume_signal_agent',
    error: 'wrong state: no enabled workflow attached',
    refused: async (fixture) => {
      const signalAgentId = await agentOf(fixture, { workflowId: fixture.plainId });
      return fixture.acme.refusal('svc_resume_signal_agent', { signalAgentId });
    },
    text: /^No enabled workflow is attached: \S+ is disabled \(svc_update_workflow_status enables it\)\. Call svc_update_signal_agent\.$/,
  },
  {
    tool: 'svc_run_signal_agent',
    error: 'wrong state: a run is under way',
    refused: async (fixture) => {
      const signalAgentId = await agentOf(fixture, {});
      await fixture.acme.call('svc_run_signal_agent', { signalAgentId });
      return fixture.acme.refusal('svc_run_signal_agent', { signalAgentId, maxLeads: 3 });
    },
    text: /^A run of the agent is under way\. Call svc_get_signal_agent\.$/,
  },
  {
    tool: 'svc_resume_competitor_watch',
    error: CREDITS,
    refused: async ({ acme }) => {
      const watch = { name: 'Refused', domain: 'refused-rival.com' };
      const { competitorWatchId } = await acme.call<{ competitorWatchId: string }>(
        'svc_create_competitor_watch',
        watch,
      );
      await acme.call('svc_pause_competitor_watch', { competitorWatchId });
      return acme.refusal('svc_resume_competitor_watch', { competitorWatchId });
    },
    text: CREDITS_TEXT,
  },
  {
    tool: 'svc_run_signal_agent',
    error: CREDITS,
    refused: async (fixture) => {
      const searching = { signalTypes: ['new_post'], criteria: { keywords: ['shops'] } };
      const signalAgentId = await agentOf(fixture, searching);
      return fixture.acme.refusal('svc_run_signal_agent', { signalAgentId });
    },
    text: CREDITS_TEXT,
  },
  row('svc_regenerate_playbook', CREDITS, () => ({}), CREDITS_TEXT),
  ...(['svc_craft_message', 'svc_craft_connection_note'] as const).map((tool) =>
    row(tool, CREDITS, ({ campaignId, sharedLeadId: leadId }) => ({ leadId, campaignId }), CREDITS_TEXT),
  ),
  {
    tool: 'svc_craft_reply',
    error: CREDITS,
    refused: async (fixture) => {
      const [talk] = await fixture.tools.force<{ id: string }>(
        `with talk as (
           insert into conversation (id, account_id, external_id) values (gen_random_uuid(), $1, 'craft') returning id
         )
         insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at)
         select gen_random_uuid(), id, $1, 'craft', 'in', 'Hello', 1 from talk returning conversation_id as id`,
        [fixture.accountId],
      );
      return fixture.acme.refusal('svc_craft_reply', { conversationId: talk?.id });
    },
    text: CREDITS_TEXT,
  },
  row(
    'svc_craft_comment',
    CREDITS,
    () => ({ postUrl: 'https://network.example/1', postText: 'Two shops.' }),
    CREDITS_TEXT,
  ),
  row('svc_craft_content_post', CREDITS, () => ({ topic: 'Shops' }), CREDITS_TEXT),
  ...(
    [
      ['workflow', 'workflow', 'Workflow'],
      ['lead', 'lead', 'Lead'],
      ['network_account', 'networkAccount', 'Network account'],
      ['provider_account', 'providerAccount', 'Provider account'],
      ['automation', 'automation', 'Automation'],
      ['integration', 'integration', 'Integration'],
      ['signal_agent', 'signalAgent', 'Signal agent'],
      ['competitor_watch', 'competitorWatch', 'Competitor watch'],
      ['action', 'action', 'Action'],
    ] as const
  ).map(([target, type, label]) => absent('svc_diagnose', type, label, NOBODY, () => ({ target, targetId: NOBODY }))),
];

/** The export that runs comes last: it needs credits, and others are about having none. */
export const OFFICE_ERRORS: readonly ErrorRow[] = [...exclusions, ...notifications, ...people, ...rest, ...accounts];
