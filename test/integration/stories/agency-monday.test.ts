import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { Sealer } from '../../../pkg/base/sealer.ts';
import { openOutside } from '../../../pkg/engine/calls/outside.ts';
import { type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { tellWorkspace } from '../../fixtures/tell-workspace.ts';
import { type PlatformMails, startPlatformMails } from '../../fixtures/tools/platform-mails.ts';
import {
  answer,
  type Connected,
  type Deliverer,
  delivererOf,
  type Listed,
} from '../../fixtures/tools/webhook-fixture.ts';
import type { ToolUser } from '../../tools/mcp-tools.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../../tools/webhook-receiver.ts';

const MINUTE = 60_000;
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
const BERLIN = { startHour: 20, endHour: 7, timezone: 'Europe/Berlin' };
const CHANNELS = { 'reply.received': ['in_app', 'email'] };

interface Notification {
  kind: string;
  title: string;
}
interface Job {
  status: string;
  error: string | null;
  result: Record<string, number | string>;
}

// Berlin's Sunday evening and Monday morning: everything that happens is told, once, where and when its readers want it.
describe('story: an agency’s Monday', function () {
  this.timeout(180_000);
  let fixture: EngineFixture;
  let owner: ToolUser;
  let receiver: WebhookReceiver;
  let deliverer: Deliverer;
  let platform: PlatformMails;
  let workspaceId: string;
  let campaignId: string;
  let hook: Connected;
  let leads: string[];
  let taken: Received[];

  before(async () => {
    const sealer = new Sealer('an installation key of at least 32 characters');
    const outside = { ...openOutside({}, sealer), reachOf: () => 'any' as const };
    fixture = await startEngineFixture(outside);
    const { tools, acme } = fixture;
    ({ workspaceId } = (await acme.call<{ workspace: { workspaceId: string } }>('svc_get_workspace')).workspace);
    const [row] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@north.example'`);
    owner = tools.user(await tools.mcp.client((await tools.mcp.key({ userId: row?.id ?? '' })).plaintext));
    receiver = await startWebhookReceiver();
    deliverer = delivererOf(tools, { sealer, reachOf: outside.reachOf });
    platform = await startPlatformMails(tools);
  });
  after(async () => {
    await receiver?.close();
    await platform?.stop();
    await fixture?.stop();
  });

  const clock = (iso: string): void => {
    fixture.tools.cluster.clock.at = Date.parse(iso);
  };
  /** Somebody answers on the network, and account sync hears it. */
  const says = async (name: string, text: string): Promise<void> => {
    const { network, tools } = fixture;
    const chatId = `chat-p-${name.toLowerCase()}`;
    network.inbox.push({
      messageId: `m-${network.inbox.length}`,
      chatId,
      direction: 'in',
      text,
      sentAt: tools.cluster.clock.now(),
    });
    await fixture.sync();
  };
  /** What leader and servers do within seconds: events are numbered, members told, deliveries tried. */
  const tell = async (): Promise<void> => {
    const { cluster } = fixture.tools;
    await tellWorkspace(cluster.db, workspaceId, cluster.clock.now());
    await deliverer.deliver();
  };
  const mails = async () => {
    await tell();
    return platform.leave();
  };
  const unread = async (): Promise<Notification[]> => {
    const input = { workspaceId, unreadOnly: true, detail: 'full' };
    return (await owner.call<{ notifications: Notification[] }>('svc_list_notifications', input)).notifications;
  };
  const replies = () => receiver.got.filter(({ event }) => event.kind === 'reply.received');

  it('in the week before, five people are written to', async () => {
    const { acme } = fixture;
    ({ campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Growth' }));
    await acme.call('svc_update_campaign', { campaignId, businessHours: ALWAYS });
    leads = await fixture.people(['Grace', 'Ada', 'Bob', 'Cid', 'Dora']);
    const graph = {
      nodes: [
        { nodeType: 'source:manual', label: 'Start' },
        {
          nodeType: 'network:message',
          label: 'Hello',
          config: { textMode: 'static', text: 'Hello {{lead:firstName}}' },
        },
        { nodeType: 'network:wait_reply', label: 'Answer', config: { timeoutMs: 30 * 24 * HOUR } },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ],
    };
    const { workflowId } = await acme.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: 'Hello',
      graph,
    });
    await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    await acme.call('svc_trigger_workflow', { workflowId, leadIds: leads });
    for (let part = 0; part < 12 && fixture.network.received.length < 5; part++) await fixture.pass(3 * HOUR);
    expect(fixture.network.received).to.have.length(5);
    hook = await acme.call<Connected>('svc_connect_integration', {
      provider: 'webhook',
      url: receiver.url,
      events: ['reply.received'],
    });
    await owner.call('svc_update_notification_preferences', {
      workspaceId,
      digest: 'daily',
      quietHours: BERLIN,
      channels: CHANNELS,
    });
    await mails();
    await owner.call('svc_mark_all_notifications_read', { workspaceId });
  });

  it('an answer at eleven in the night reaches the consumer at once, and wakes nobody', async () => {
    clock('2026-03-08T22:00:00Z');
    await says('Grace', 'Sounds good, let us talk next week.');
    expect(await mails(), '23:00 in Berlin').to.deep.equal([]);
    expect(replies().map(({ event }) => event.data['class'])).to.deep.equal(['positive']);
    expect((await unread()).map(({ kind }) => kind)).to.deep.equal(['reply.received']);
  });

  it('the consumer is down from six to nine: what it misses waits, in order, and is tried again', async () => {
    clock('2026-03-09T05:00:00Z');
    taken = [...receiver.got];
    receiver.behave(answer(503));
    await says('Ada', 'What does it cost?');
    await says('Bob', 'Kein Interesse.');
    await tell();
    const { integrations, deliveries } = await fixture.acme.call<Listed>('svc_list_integrations', {
      integrationId: hook.integrationId,
    });
    expect(integrations[0]?.lastError).to.contain('503');
    expect(deliveries.filter(({ state }) => state !== 'delivered')).to.have.length(2);
  });

  it('at eight one mail tells what is unread', async () => {
    clock('2026-03-09T06:59:00Z');
    expect(await mails(), 'a minute before eight').to.deep.equal([]);
    clock('2026-03-09T07:00:00Z');
    const [digest, ...more] = await mails();
    expect(more, 'one mail').to.deep.equal([]);
    expect(digest?.to).to.equal('owner@north.example');
    expect(digest?.text).to.match(/3 answers|answer/);
  });

  it('the report of the week comes by its schedule, once, with the numbers of svc_get_workspace_metrics', async () => {
    const { acme } = fixture;
    const { members } = await acme.call<{ members: { memberId: string }[] }>('svc_list_members', { workspaceId });
    const { automationId } = await acme.call<{ automationId: string }>('svc_upsert_automation', {
      campaignId,
      name: 'Weekly',
      kind: 'send_report',
      schedule: '15 8 * * 1',
      timezone: 'Europe/Berlin',
      settings: { memberIds: members.map((one) => one.memberId), period: 'week' },
    });
    await acme.call('svc_toggle_automation', { automationId });
    clock('2026-03-09T07:45:00Z');
    await fixture.schedules();
    await fixture.schedules();
    await tell();
    const { jobs } = await acme.call<{ jobs: Job[] }>('svc_get_automation_jobs', { automationId });
    expect(jobs.map(({ status, error }) => [status, error])).to.deep.equal([['succeeded', null]]);
    const { fromDate, toDate, notified, credits, ...counts } = jobs[0]?.result ?? {};
    expect([notified, credits]).to.deep.equal([members.length, 0]);
    const { rows } = await acme.call<{ rows: { key: string; funnel: Record<string, number> }[] }>(
      'svc_get_workspace_metrics',
      { fromDate, toDate, groupBy: 'campaign', detail: 'full' },
    );
    const { rates: _, meetings: __, ...funnel } = rows.find(({ key }) => key === campaignId)?.funnel ?? {};
    expect(counts).to.deep.equal(funnel);
    expect(counts['contacted']).to.equal(5);
    expect((await unread()).filter(({ kind }) => kind === 'report.ready')).to.have.length(1);
  });

  it('after nine the consumer has each event exactly once, signed, those of one person in order', async () => {
    clock('2026-03-09T08:00:00Z');
    receiver.behave();
    // What it refused it does not have.
    receiver.got.splice(0, receiver.got.length, ...taken);
    await says('Ada', 'Can we talk on Friday?');
    for (let part = 0; part < 36; part++) {
      clock(new Date(fixture.tools.cluster.clock.now() + 5 * MINUTE).toISOString());
      await tell();
    }
    const got = replies();
    const ids = got.map(({ event }) => event.id);
    expect(new Set(ids).size, 'each once').to.equal(ids.length);
    const of = (name: string): unknown[] => {
      const leadId = leads[['Grace', 'Ada', 'Bob'].indexOf(name)];
      return got.filter(({ event }) => event.data['leadId'] === leadId).map(({ event }) => event.sequence);
    };
    expect([of('Grace').length, of('Ada').length, of('Bob').length]).to.deep.equal([1, 2, 1]);
    expect(of('Ada')).to.deep.equal(of('Ada').toSorted());
    for (const { body, headers } of got) new Webhook(hook.signingSecret).verify(body, headers);
    const { integrations, deliveries } = await fixture.acme.call<Listed>('svc_list_integrations', {
      integrationId: hook.integrationId,
    });
    expect(integrations[0]).to.include({ status: 'connected', failuresInRow: 0 });
    expect(new Set(deliveries.map(({ state }) => state))).to.deep.equal(new Set(['delivered']));
  });
});
