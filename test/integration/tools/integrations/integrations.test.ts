import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Sandbox, startSandbox } from '../../../../cmd/sandbox/sandbox.ts';
import { Sealer } from '../../../../pkg/base/sealer.ts';
import { EVENT_KINDS } from '../../../../pkg/domain/event-kinds.ts';
import { webhookSignature } from '../../../../pkg/domain/webhook-signature.ts';
import { reachBesides } from '../../../../pkg/providers/integrations.ts';
import { CONNECTABLE } from '../../../../pkg/tools/integrations/integration-row.ts';
import { CATALOG } from '../../../contract/catalog.ts';
import { missing } from '../../../fixtures/tools/mcp-fixture.ts';
import { FakeClock } from '../../../tools/fake-clock.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const KEY = 'sandbox-key-of-integrations';

/** A provider of the interface that has no adapter yet. */
const UNCONNECTABLE = CATALOG.tools
  .find((tool) => tool.name === 'svc_connect_integration')
  ?.params.find((param) => param.name === 'provider')
  ?.enum?.find((name) => !CONNECTABLE.has(name));

interface Connected {
  integrationId: string;
  status: string;
  signingSecret: string | null;
}

describe('tools: integrations and notifications, by an MCP client', () => {
  let home: string;
  let sandbox: Sandbox;
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  const service = (name: string): string => `${sandbox.url}/outside/${name}`;
  const hubspot = (token = KEY): object => ({ provider: 'hubspot', credentials: { token, url: service('hubspot') } });

  before(async function () {
    this.timeout(60_000);
    home = await mkdtemp(join(tmpdir(), 'outrider-integrations-'));
    sandbox = await startSandbox({ clock: new FakeClock(), home, seed: 'integrations', apiKey: KEY });
    const sealer = new Sealer('an installation key of at least 32 characters');
    tools = await startMcpTools(undefined, { sealer, reachOf: reachBesides(sandbox.url) });
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(async () => {
    await tools.stop();
    await sandbox.stop();
    await rm(home, { recursive: true, force: true });
  });

  describe('svc_connect_integration', () => {
    it('an address with a name or a password before its host is refused, connected and stored', async () => {
      for (const url of [
        'https://localhost:80@hooks.example/',
        'https://kim:secret@hooks.example/',
        'https://kim@hooks.example/',
      ])
        expect(await acme.refusal('svc_connect_integration', { provider: 'webhook', name: 'X', url })).to.equal(
          'Invalid input: url: must hold no name or password before its host',
        );
    });

    it('a text that is no address is refused as such', async () => {
      const asked = { provider: 'webhook', name: 'X', url: 'no address' };
      expect(await acme.refusal('svc_connect_integration', asked)).to.equal('Invalid input: url: Invalid URL');
    });

    it('connects a CRM after its test call; the token is stored sealed and shown nowhere', async () => {
      const { integrationId, status, signingSecret } = await acme.call<Connected>('svc_connect_integration', hubspot());
      expect([status, signingSecret]).to.deep.equal(['connected', null]);
      const [row] = await tools.rows<{ all: string; sealed: Buffer }>(
        'select row_to_json(i)::text as all, sealed from integration i where id = $1',
        [integrationId],
      );
      expect(row?.all).not.to.contain(KEY);
      expect(row?.sealed.toString('latin1')).not.to.contain(KEY);
    });

    it('connects a language model after asking it; it writes for the workspace at no credits until it is disconnected', async () => {
      const own = (token = KEY, more = {}): object => ({
        provider: 'openai',
        credentials: { token, model: 'own-model', url: `${service('openai')}/v1` },
        ...more,
      });
      const wrong = await acme.refusal('svc_connect_integration', own('a-wrong-token'));
      expect(wrong).to.contain('401').and.contain('Nothing was stored').and.not.contain('a-wrong-token');
      const without = { provider: 'openai', credentials: { token: KEY } };
      expect(await acme.refusal('svc_connect_integration', without)).to.contain('model: string');
      const { integrationId } = await acme.call<Connected>('svc_connect_integration', own());
      const another = await acme.refusal('svc_connect_integration', own(KEY, { name: 'Another' }));
      expect(another).to.contain(integrationId).and.contain('svc_disconnect_integration');
      const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Own model' });
      const lead = { firstName: 'Ada', title: 'VP of Sales', company: 'Acorn Robotics', email: 'ada@acorn.example' };
      const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', lead);
      const craft = (instructions: string): Promise<{ writer: string; creditsSpent: number }> =>
        acme.call('svc_craft_message', { leadId, campaignId, language: 'en', instructions });
      expect(await craft('With ours')).to.include({ writer: 'own-model', creditsSpent: 0 });
      const { integrations } = await acme.call<{ integrations: { kind: string }[] }>('svc_list_integrations', {
        kind: 'ai',
      });
      expect(integrations.map(({ kind }) => kind)).to.deep.equal(['ai']);
      await acme.call('svc_disconnect_integration', { integrationId });
      expect((await craft('Without ours')).writer).to.equal('template');
    });

    it('connects a provider of enrichment after asking it about nobody; one key for each', async () => {
      const own = (token = KEY): object => ({ provider: 'hunter', credentials: { token, url: service('hunter') } });
      expect(await acme.refusal('svc_connect_integration', own('a-wrong-token'))).to.contain('Nothing was stored');
      const { integrationId } = await acme.call<Connected>('svc_connect_integration', own());
      const another = { ...own(), name: 'Another' };
      expect(await acme.refusal('svc_connect_integration', another)).to.contain(integrationId);
      await acme.call('svc_disconnect_integration', { integrationId });
    });

    it('connects an outreach platform', async () => {
      const given = { provider: 'instantly', credentials: { token: KEY, url: service('instantly') } };
      expect((await acme.call<Connected>('svc_connect_integration', given)).status).to.equal('connected');
    });

    it('connects a webhook with a signed ping, and shows its secret once', async () => {
      const made = await acme.call<Connected>('svc_connect_integration', {
        provider: 'webhook',
        url: service('hook/ping'),
      });
      const answer = (await (await fetch(`${sandbox.url}/_sandbox/outside`)).json()) as {
        service: string;
        headers: Record<string, string>;
        body: { raw: string };
      }[];
      const ping = answer.find((one) => one.service === 'hook');
      const timestamp = Number(ping?.headers['x-svc-timestamp']);
      expect(ping?.headers['x-svc-signature']).to.equal(
        webhookSignature([made.signingSecret ?? ''], timestamp, ping?.body.raw ?? ''),
      );
      const renewed = await acme.call<Connected>('svc_connect_integration', {
        provider: 'webhook',
        url: service('hook/ping'),
        integrationId: made.integrationId,
      });
      expect(renewed.integrationId).to.equal(made.integrationId);
      expect(renewed.signingSecret).not.to.equal(made.signingSecret);
    });

    it('a failed test call stores nothing and says the status, not the token', async () => {
      const refusal = await acme.refusal('svc_connect_integration', hubspot('a-wrong-token'));
      expect(refusal).to.contain('401').and.contain('Nothing was stored').and.not.contain('a-wrong-token');
    });

    it('refuses targets that are not https or not public', async () => {
      for (const url of [
        'http://example.com/x',
        'https://127.0.0.1/x',
        'https://169.254.169.254/x',
        'https://[::1]/x',
      ]) {
        expect(await acme.refusal('svc_connect_integration', { provider: 'webhook', url }), url).to.contain(
          'The test call failed',
        );
      }
    });

    it('one that is disconnected while its new credentials are tried stays disconnected and keeps none', async () => {
      const { integrationId } = await acme.call<Connected>('svc_connect_integration', hubspot());
      const { refused } = await tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
        await tx.exec(`update integration set deleted_at = 1, sealed = null, url = '' where id = $1`, [integrationId]);
        const refused = acme.refusal('svc_connect_integration', { ...hubspot(), integrationId });
        while ((await tools.rows('select 1 from pg_locks where not granted')).length === 0);
        return { refused };
      });
      expect(await refused).to.equal(missing('Integration', integrationId, 'svc_list_integrations'));
      const [row] = await tools.rows('select sealed, url from integration where id = $1', [integrationId]);
      expect(row).to.deep.equal({ sealed: null, url: '' });
    });

    const refused: [why: string, input: object, text: string][] = [
      [
        'a provider without adapter',
        { provider: UNCONNECTABLE, credentials: { token: 'x' } },
        `can be: ${[...CONNECTABLE.keys()].join(', ')}`,
      ],
      ['a webhook without address', { provider: 'webhook' }, 'url: is required'],
      [
        'credentials of another shape, without echoing them',
        { provider: 'hubspot', credentials: { password: 'geheim' } },
        'must be {token',
      ],
      [
        'a kind of event that is none',
        { provider: 'webhook', url: 'https://example.com', events: ['run.started', 'run.begun'] },
        'events.1: run.begun is no kind of event; call svc_list_webhook_templates',
      ],
      ['events for a CRM', { provider: 'hubspot', events: ['run.started'] }, 'events: is for webhooks and chats'],
      [
        'a replay of what is not connected yet',
        { provider: 'webhook', url: 'https://example.com', replayFrom: '2026-03-01T09:00:00Z' },
        'replayFrom: needs integrationId',
      ],
      [
        'an end of a replay without its beginning',
        { provider: 'webhook', url: 'https://example.com', replayTo: '2026-03-01T09:00:00Z' },
        'replayTo: needs replayFrom',
      ],
      [
        'a field mapping to a field that leads do not have',
        { provider: 'hubspot', fieldMapping: { jobtitle: { to: 'shoeSize' } } },
        'fieldMapping.jobtitle: must be one of',
      ],
      ['a webhook both ways', { provider: 'webhook', url: 'https://example.com', twoWay: true }, 'twoWay: is for CRMs'],
      [
        'an unknown template',
        { provider: 'webhook', url: 'https://example.com', webhookTemplateId: 'x' },
        'Webhook template "x" was not found',
      ],
      [
        'an integration of nobody',
        { provider: 'webhook', url: 'https://example.com', integrationId: 'int-none' },
        'Integration "int-none" was not found',
      ],
    ];
    for (const [why, input, text] of refused) {
      it(`refuses ${why}`, async () => {
        const refusal = await acme.refusal('svc_connect_integration', input);
        expect(refusal).to.contain(text).and.not.contain('geheim');
      });
    }
  });

  describe('svc_list_integrations', () => {
    it('lists those of the workspace by kind, in pages, with what can be connected; credentials are no part of it', async () => {
      const first = await acme.call<{ integrations: { kind: string }[]; available: string[]; nextCursor: string }>(
        'svc_list_integrations',
        { limit: 1 },
      );
      const rest = await acme.call<typeof first>('svc_list_integrations', { limit: 10, cursor: first.nextCursor });
      expect([...first.integrations, ...rest.integrations].map((one) => one.kind).toSorted()).to.deep.equal([
        'crm',
        'outreach',
        'webhook',
      ]);
      expect(first.available).to.deep.equal([...CONNECTABLE.keys()]);
      expect(first.available).to.include.members(['hubspot', 'instantly', 'webhook']);
      expect(JSON.stringify([first, rest])).not.to.contain(KEY);
      const crms = await acme.call<typeof first>('svc_list_integrations', { kind: 'crm' });
      expect(crms.integrations).to.have.length(1);
      expect((await rival.call<typeof first>('svc_list_integrations')).integrations).to.deep.equal([]);
    });
  });

  describe('svc_list_webhook_templates', () => {
    interface Templates {
      webhookTemplates: { webhookTemplateId: string; samplePayload: { kind: string; sequence: number } }[];
      nextCursor: string | null;
    }
    async function kindsOf(user: ToolUser, limit: number): Promise<string[]> {
      const kinds: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page: Templates = await user.call('svc_list_webhook_templates', {
          limit,
          detail: 'full',
          ...(cursor ? { cursor } : {}),
        });
        kinds.push(...page.webhookTemplates.map((one) => one.samplePayload.kind));
        cursor = page.nextCursor;
      }
      return kinds;
    }

    it('lists each kind, with an envelope as it is delivered', async () => {
      const kinds = await kindsOf(acme, 10);
      expect(kinds).to.deep.equal([...EVENT_KINDS].sort());
    });

    it('names kinds at first, and gives the sample of those that are asked for', async () => {
      const { webhookTemplates: all } = await acme.call<Templates>('svc_list_webhook_templates', { limit: 100 });
      expect(all.find((one) => one.webhookTemplateId === 'run.completed')).to.have.all.keys(
        'webhookTemplateId',
        'name',
      );
      const asked = await acme.call<Templates & { headers: object }>('svc_list_webhook_templates', {
        events: ['run.completed'],
      });
      expect(asked.webhookTemplates.map((one) => one.samplePayload.kind)).to.deep.equal(['run.completed']);
      expect(asked.headers).to.have.property('X-Svc-Signature');
    });

    it('a kind whose scope the key lacks is not listed: integrations:read alone does not open the inbox', async () => {
      const narrow = await tools.as({ workspace: 'acme', scopes: ['integrations:read'] });
      expect(await kindsOf(narrow, 100)).to.deep.equal(['integration.error']);
      const reader = await tools.as({ workspace: 'acme', scopes: ['integrations:read', 'leads:read'] });
      const kinds = await kindsOf(reader, 100);
      expect(kinds).to.include('lead.created');
      expect(kinds).not.to.include('reply.received');
    });
  });

  describe('svc_disconnect_integration', () => {
    it('forgets the credentials and names the workflows that use it; a foreign one is not found', async () => {
      const { integrationId } = await acme.call<Connected>('svc_connect_integration', hubspot());
      const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Growth' });
      const graph = { nodes: [{ nodeType: 'crm:push', config: { integrationId } }], edges: [] };
      const { workflowId } = await acme.call<{ workflowId: string }>('svc_create_workflow', {
        campaignId,
        name: 'Push',
        graph,
      });
      for (const id of ['int-none', integrationId]) {
        expect(await rival.refusal('svc_disconnect_integration', { integrationId: id })).to.equal(
          missing('Integration', id, 'svc_list_integrations'),
        );
      }
      const uses = { affectedWorkflows: [workflowId], affectedAutomations: [], affectedLists: [] };
      const gone = { integrationId, disconnected: true, droppedDeliveries: 0, ...uses };
      expect(await acme.call('svc_disconnect_integration', { integrationId })).to.deep.equal(gone);
      expect(await acme.call('svc_disconnect_integration', { integrationId }), 'again').to.deep.equal(gone);
      const [row] = await tools.rows('select sealed from integration where id = $1', [integrationId]);
      expect(row).to.deep.equal({ sealed: null });
    });
  });

  describe('notifications', () => {
    interface Listed {
      notifications: { notificationId: string; title: string; read: boolean }[];
      nextCursor: string | null;
    }
    let ada: ToolUser;
    let mine: string[];

    before(async () => {
      ada = await tools.as({ memberOf: ['acme'] });
      const { user } = await ada.call<{ user: { id: string } }>('svc_whoami');
      mine = [];
      for (let at = 1; at <= 3; at++) {
        const id = randomUUID();
        mine.push(id);
        await tools.force(
          `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at) values ($1::uuid, 'acme', $2, $3, $4, 'text', $1::text, $5)`,
          [id, user.id, at === 1 ? 'review.pending' : 'run.step_done', `Title ${at}`, at],
        );
      }
      await tools.force(
        `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at) values (gen_random_uuid(), 'acme', gen_random_uuid(), 'run.step_done', 'Of another', 'text', 'x', 9)`,
      );
    });
    const list = (more: object = {}, user = ada): Promise<Listed> =>
      user.call<Listed>('svc_list_notifications', { workspaceId: 'acme', ...more });
    const titles = (page: Listed): string[] => page.notifications.map((one) => one.title);

    describe('svc_list_notifications', () => {
      it('lists a person their own, newest first and in pages; a workspace key sees those of all members', async () => {
        const first = await list({ limit: 2 });
        const rest = await list({ limit: 2, cursor: first.nextCursor });
        expect([titles(first), titles(rest)]).to.deep.equal([['Title 3', 'Title 2'], ['Title 1']]);
        expect(titles(await list({ kinds: ['review.pending'] }))).to.deep.equal(['Title 1']);
        expect(titles(await acme.call<Listed>('svc_list_notifications'))).to.include('Of another');
      });
    });

    describe('svc_mark_notification_read', () => {
      it('marks one of their own; of others they learn nothing', async () => {
        await ada.call('svc_mark_notification_read', { notificationId: mine[0] });
        expect(titles(await list({ unreadOnly: true }))).to.deep.equal(['Title 3', 'Title 2']);
        const other = (await acme.call<Listed>('svc_list_notifications')).notifications.find(
          (one) => one.title === 'Of another',
        );
        for (const notificationId of ['nonsense', other?.notificationId ?? '']) {
          expect(await ada.refusal('svc_mark_notification_read', { notificationId })).to.equal(
            missing('Notification', notificationId, 'svc_list_notifications'),
          );
        }
      });
    });

    describe('svc_get_unread_notification_count', () => {
      it('counts by kind', async () => {
        expect(await ada.call('svc_get_unread_notification_count', { workspaceId: 'acme' })).to.deep.equal({
          unread: 2,
          byKind: { 'run.step_done': 2 },
        });
      });
    });

    describe('svc_mark_all_notifications_read', () => {
      it('marks everything up to a time', async () => {
        const until = (before: string): Promise<object> =>
          ada.call('svc_mark_all_notifications_read', { workspaceId: 'acme', before });
        expect(await until('1970-01-01T00:00:00.002Z')).to.deep.equal({ changed: 1 });
        expect(await ada.call('svc_mark_all_notifications_read', { workspaceId: 'acme' })).to.deep.equal({
          changed: 1,
        });
        expect(titles(await list({ unreadOnly: true }))).to.deep.equal([]);
      });
    });
  });
});
