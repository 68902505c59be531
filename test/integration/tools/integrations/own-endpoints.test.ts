import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { tellWorkspace } from '../../../fixtures/tell-workspace.ts';
import {
  type Connected,
  created,
  type Listed,
  startWebhookFixture,
  type WebhookFixture,
} from '../../../fixtures/tools/webhook-fixture.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../tools/webhook-receiver.ts';

describe('tools: a webhook or chat of one member', function () {
  this.timeout(60_000);
  let fixture: WebhookFixture;
  let receiver: WebhookReceiver;
  let acme: ToolUser;
  const CHOOSE = 'svc_update_notification_preferences';
  const texts = (): string[] => receiver.got.map(({ body }) => (JSON.parse(body) as { text: string }).text).slice(1);
  let member: ToolUser;
  let other: ToolUser;
  before(async () => {
    fixture = await startWebhookFixture();
    receiver = await startWebhookReceiver();
    fixture.tools.cluster.clock.at = Date.UTC(2026, 2, 2, 10);
    acme = await fixture.tools.as({ workspace: 'acme' });
    member = await fixture.tools.as({ memberOf: ['acme'] });
    other = await fixture.tools.as({ memberOf: ['acme'] });
  });
  after(async () => {
    await receiver.close();
    await fixture.stop();
  });
  afterEach(() => fixture.tools.force(`update integration set deleted_at = 1, events = '{}'`));
  beforeEach(() => {
    receiver.behave();
    receiver.got.length = 0;
  });
  const list = (integrationId: string): Promise<Listed> =>
    acme.call<Listed>('svc_list_integrations', { integrationId });
  const own = (): Promise<Connected> =>
    member.call<Connected>('svc_connect_integration', {
      workspaceId: 'acme',
      provider: 'slack',
      url: `${receiver.url}/T1/B1/x`,
      personal: true,
    });
  /** A lead comes into the workspace, and what follows it is delivered; a chat gets one message a second. */
  async function leadComes(): Promise<void> {
    await fixture.happen('acme', [created(randomUUID())]);
    fixture.pass(1_001);
    await fixture.deliver();
  }

  it('a chat of their own follows what they choose, of which the endpoints of others say nothing', async () => {
    const made = await own();
    await leadComes();
    expect(texts(), 'nothing is chosen').to.deep.equal([]);
    await member.call(CHOOSE, { workspaceId: 'acme', channels: { 'lead.created': ['in_app', 'chat'] } });
    await leadComes();
    expect(texts()).to.deep.equal(['*Leads came into the workspace*\nworkspace acme · 1 leads']);
    const [listed] = (await list(made.integrationId)).integrations;
    expect(listed).to.deep.include({ events: ['lead.created'], personal: true });
    const choice = { workspaceId: 'acme', channels: { 'lead.created': ['chat'] } };
    expect(await other.refusal(CHOOSE, choice), 'it is not theirs').to.contain('personal: true');
    await member.call(CHOOSE, { workspaceId: 'acme', channels: { 'lead.created': ['in_app'] } });
    await leadComes();
    expect(texts(), 'it is chosen no more').to.have.length(1);
  });

  it('one that a key with few scopes connects gets what the key may read, whatever its member chooses', async () => {
    const [row] = await fixture.tools.rows<{ user: string }>(
      `select member_user as user from integration where member_user is not null limit 1`,
    );
    const scopes = ['integrations:write', 'notifications:write'];
    const { plaintext } = await fixture.tools.mcp.key({ userId: row?.user ?? '', scopes });
    const limited = fixture.tools.user(await fixture.tools.mcp.client(plaintext));
    const input = { workspaceId: 'acme', provider: 'slack', url: `${receiver.url}/T1/B1/x`, personal: true };
    const { integrationId } = await limited.call<Connected>('svc_connect_integration', input);
    const choice = { workspaceId: 'acme', channels: { 'lead.created': ['chat'] } };
    expect(await member.refusal(CHOOSE, choice), 'a chat of the key alone').to.contain('No chat');
    await leadComes();
    expect(texts(), 'the key may not read it').to.deep.equal([]);
    await member.call('svc_connect_integration', { ...input, integrationId });
    await member.call(CHOOSE, choice);
    await leadComes();
    expect(texts().slice(1), 'behind the message that tried it').to.have.length(1);
    const moved = { ...input, integrationId, url: `${receiver.url}/T2/B2/x` };
    expect(await limited.refusal('svc_connect_integration', moved)).to.contain('leads:read');
  });

  it('nobody else points it elsewhere, its events are chosen in one place, and a key without a person has none', async () => {
    const { integrationId } = await own();
    const elsewhere = { workspaceId: 'acme', provider: 'slack', integrationId, url: `${receiver.url}/T2` };
    expect(await other.refusal('svc_connect_integration', elsewhere)).to.contain('another member’s own');
    expect(await acme.refusal('svc_connect_integration', elsewhere)).to.contain('needs the key of a person');
    const chosen = { ...elsewhere, events: ['lead.created'] };
    expect(await member.refusal('svc_connect_integration', chosen)).to.contain(CHOOSE);
  });

  it('one that fails for good pauses itself and says so to its member, not to the managers; it ends with the member', async () => {
    const { integrationId } = await own();
    await member.call(CHOOSE, { workspaceId: 'acme', channels: { 'lead.created': ['chat'] } });
    receiver.behave((_got, response) => void response.writeHead(410).end());
    await leadComes();
    expect((await list(integrationId)).integrations[0]?.status).to.equal('paused');
    const clock = fixture.tools.cluster.clock;
    await tellWorkspace(fixture.tools.cluster.db, 'acme', clock.now());
    const told = await fixture.tools.rows<{ id: string; own: boolean }>(
      `select n.data ->> 'integrationId' as id, n.user_id = i.member_user as own
       from notification n join integration i on i.id = n.data ->> 'integrationId'
       where n.kind = 'integration.error' and i.id = $1`,
      [integrationId],
    );
    expect(told).to.deep.equal([{ id: integrationId, own: true }]);
    const { members } = await member.call<{ members: { memberId: string; userId: string }[] }>('svc_list_members', {
      workspaceId: 'acme',
    });
    const [row] = await fixture.tools.rows<{ user: string }>(
      'select member_user as user from integration where id = $1',
      [integrationId],
    );
    const left = members.find(({ userId }) => userId === row?.user);
    await member.call('svc_remove_member', { workspaceId: 'acme', memberId: left?.memberId ?? '' });
    const [gone] = await fixture.tools.rows(
      'select deleted_at is not null as ended, sealed from integration where id = $1',
      [integrationId],
    );
    expect(gone).to.deep.equal({ ended: true, sealed: null });
  });
});
