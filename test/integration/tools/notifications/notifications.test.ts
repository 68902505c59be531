import { randomUUID } from 'node:crypto';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { forgetNotifications } from '../../../../pkg/store/notifications/forget-notifications.ts';
import { tellWorkspace } from '../../../fixtures/tell-workspace.ts';
import { type McpFixture, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';
import { type PlatformMails, startPlatformMails } from '../../../fixtures/tools/platform-mails.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';

interface Notification {
  notificationId: string;
  kind: string;
  title: string;
  text: string;
  data: Record<string, unknown>;
  nextTool: string | null;
  read: boolean;
}

interface Preferences {
  channels: Record<string, string[]>;
  digest: string;
  quietHours: object | null;
}

const UPDATE = 'svc_update_notification_preferences';
const HOUR = 3_600_000;

describe('tools: notifications of events', function () {
  this.timeout(120_000);
  let fixture: McpFixture;
  let owner: ToolUser;
  let workflowId: string;
  let runIds: string[];

  before(async () => {
    fixture = await startMcpFixture(5);
    const { tools, leads } = fixture;
    const [row] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
    owner = tools.user(await tools.mcp.client((await tools.mcp.key({ userId: row?.id ?? '' })).plaintext));
    workflowId = await fixture.workflow();
    runIds = await fixture.started(workflowId, leads);
    await tell();
    await owner.call('svc_mark_all_notifications_read', { workspaceId: 'acme' });
  });
  after(() => fixture.tools.stop());

  const now = (): number => fixture.tools.cluster.clock.now();
  const tell = (): Promise<void> => tellWorkspace(fixture.tools.cluster.db, 'acme', now());
  const unread = async (user = owner): Promise<Notification[]> => {
    const input = { workspaceId: 'acme', unreadOnly: true, detail: 'full' };
    return (await user.call<{ notifications: Notification[] }>('svc_list_notifications', input)).notifications;
  };
  /** Something happened to a run, or in the workspace. */
  const happen = (kind: string, data: object = {}, runId: string | null = null): Promise<unknown> =>
    fixture.tools.force(
      `insert into run_event (workspace_id, run_id, at, kind, actor, data) values ('acme', $1, $2, $3, 'engine', $4)`,
      [runId, now(), kind, JSON.stringify(data)],
    );
  const draft = async (run: string | undefined, expiresIn: number): Promise<string> => {
    const id = randomUUID();
    await fixture.tools.force(
      `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, created_at, expires_at)
       select $1, workspace_id, workflow_id, campaign_id, id, lead_id, 'n', 'n', 'message', 'Hi', 'Hi', $3, $4 from run where id = $2`,
      [id, run, now(), now() + expiresIn],
    );
    await happen('review.pending', { reviewItemId: id }, run);
    return id;
  };
  const read = (user: ToolUser): Promise<{ preferences: Preferences }> =>
    user.call('svc_get_notification_preferences', { workspaceId: 'acme' });
  const choose = (user: ToolUser, choice: object): Promise<unknown> =>
    user.call(UPDATE, { workspaceId: 'acme', ...choice });
  const readAll = (): Promise<unknown> => owner.call('svc_mark_all_notifications_read', { workspaceId: 'acme' });

  it('an event becomes one notification of the member whom it concerns, however often it is read', async () => {
    await happen('reply.received', { class: 'positive', channel: 'network' }, runIds[0]);
    await tell();
    await fixture.tools.force(
      `update event_reader set position = 0 where workspace_id = 'acme' and reader = 'notifications'`,
    );
    await tell();
    const [told, ...others] = await unread();
    expect(others).deep.equal([]);
    expect(told).include({
      kind: 'reply.received',
      title: 'An answer in "Growth"',
      text: 'A lead answered in "Growth".',
      nextTool: 'svc_list_conversations',
    });
    expect(told?.data).include({ runId: runIds[0], campaignId: fixture.campaignId });
    await readAll();
  });

  it('drafts that wait are one notification, which says how many and when the oldest expires, and ends with the last of them', async () => {
    const [first, second] = [await draft(runIds[0], 48 * HOUR), await draft(runIds[1], 6 * HOUR)];
    await tell();
    await draft(runIds[2], 24 * HOUR);
    await tell();
    const told = await unread();
    expect(told.map(({ title, nextTool }) => [title, nextTool])).deep.equal([
      ['3 drafts wait, the oldest expires in 6 h', 'svc_list_review_items'],
    ]);
    expect(told[0]?.data).not.have.any.keys('leadId', 'runId', 'reviewItemId');
    const decide = (id: string): Promise<unknown> => owner.call('svc_approve_review_item', { reviewItemId: id });
    await decide(second);
    await tell();
    expect((await unread()).map(({ title }) => title)).deep.equal(['2 drafts wait, the oldest expires in 24 h']);
    await decide(first);
    await fixture.tools.force(`update review_item set state = 'cancelled' where state = 'pending'`);
    await tell();
    expect(await unread(), 'nothing waits any more').deep.equal([]);
  });

  it('an event that names a campaign or an account of another workspace tells none of their names', async () => {
    const { tools } = fixture;
    await tools.workspace('stranger');
    const theirs = await tools.account('stranger');
    await tools.force('update network_account set display_name = $2 where id = $1', [theirs, 'Secret Sam']);
    await happen('account.status_changed', { accountId: theirs, status: 'checkpoint', was: 'ok' });
    await tell();
    const told = JSON.stringify(await unread());
    expect(told).to.contain(theirs).and.not.contain('Secret Sam');
    await readAll();
  });

  it('an answer that nobody understood stands apart from those that were', async () => {
    await happen('reply.received', { class: 'positive', channel: 'network' }, runIds[0]);
    await happen('reply.received', { class: 'unclassified', channel: 'network' }, runIds[1]);
    await happen('reply.received', { class: 'negative', channel: 'network' }, runIds[2]);
    await tell();
    expect((await unread()).map(({ title }) => title).toSorted()).deep.equal([
      '2 answers in "Growth"',
      'An answer that a person has to read',
    ]);
    await readAll();
  });

  it('what an executor of the version before told by itself is not told twice', async () => {
    const id = await draft(runIds[0], 6 * HOUR);
    await fixture.tools.force(
      `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at)
       select gen_random_uuid(), 'acme', m.user_id, 'review.pending', 'Told', 'before', $1, 1 from member m where m.workspace_id = 'acme' and m.role = 'owner'`,
      [`review:${id}`],
    );
    await tell();
    expect((await unread()).map(({ title }) => title)).deep.equal(['Told']);
    await readAll();
    await fixture.tools.force(`update review_item set state = 'cancelled' where state = 'pending'`);
  });

  it('two leaders that read the same events tell a member once: the constraint decides', async () => {
    await happen('credits.low', { available: 9, threshold: 100 });
    await tell();
    const rewind = `update event_reader set position = position - 1 where workspace_id = 'acme' and reader = 'notifications'`;
    await fixture.tools.force(rewind);
    await tell();
    expect((await unread()).map(({ title, text }) => [title, text])).deep.equal([
      ['Credits run low', '9 are available.'],
    ]);
    await readAll();
  });

  it('what was read is kept for 90 days, what nobody read for a year, and forgetting goes a part at a time', async () => {
    const kept = async (): Promise<string[]> => {
      const ofTest = `select title from notification where origin like 'old-%' order by title`;
      return (await fixture.tools.rows<{ title: string }>(ofTest)).map(({ title }) => title);
    };
    const forget = (limit: number): Promise<boolean> =>
      fixture.tools.cluster.db.tx({ kind: 'platform' }, (tx) => forgetNotifications(tx, now(), limit));
    while (await forget(100));
    const rows: [title: string, days: number, isRead: boolean][] = [
      ['read 89', 89, true],
      ['read 91', 91, true],
      ['read 92', 92, true],
      ['unread 364', 364, false],
      ['unread 366', 366, false],
    ];
    for (const [title, days, isRead] of rows)
      await fixture.tools.force(
        `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at, read_at)
         select $1, 'acme', user_id, 'run.failed', $2, '', 'old-' || $2, $3, case when $4 then $3::bigint end
         from member where workspace_id = 'acme' limit 1`,
        [randomUUID(), title, now() - days * 24 * HOUR, isRead],
      );
    expect(await forget(1), 'there are more').to.equal(true);
    expect(await kept(), 'the oldest went first').to.deep.equal(['read 89', 'read 91', 'unread 364']);
    expect(await forget(2)).to.equal(false);
    expect(await kept()).to.deep.equal(['read 89', 'unread 364']);
    await fixture.tools.force(`delete from notification where origin like 'old-%'`);
  });

  it('a key reads no more by notifications than it may read of the events', async () => {
    await happen('reply.received', { class: 'positive', channel: 'network' }, runIds[0]);
    await tell();
    const narrow = await fixture.tools.as({ workspace: 'acme', scopes: ['notifications:read', 'workspace:read'] });
    const kinds = (await unread(narrow)).map(({ kind }) => kind);
    expect(kinds).not.include('reply.received');
    const counted = await narrow.call<{ byKind: object }>('svc_get_unread_notification_count');
    expect(counted.byKind).not.have.property('reply.received');
    const found = (user: ToolUser): Promise<{ hits: object[] }> =>
      user.call('svc_search', { query: 'An answer in', types: ['notification'] });
    expect((await found(narrow)).hits).deep.equal([]);
    expect((await found(fixture.acme)).hits).not.deep.equal([]);
    await readAll();
  });

  it('who subscribed to the notifications of a workspace hears that there is something new, by the protocol itself', async () => {
    const uri = 'outrider://notifications/acme';
    const heard = new Promise<string>((resolve) =>
      owner.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)),
    );
    await owner.client.subscribeResource({ uri });
    await happen('integration.error', { integrationId: 'int-2', reason: 'gone' });
    await tell();
    expect(await heard).equal(uri);
    const { contents } = await owner.client.readResource({ uri });
    expect((contents as { text: string }[])[0]?.text).contain('A connected system refuses us');
    await owner.client.unsubscribeResource({ uri });
    const stranger = await fixture.rival.client.subscribeResource({ uri }).catch((error: Error) => error.message);
    expect(stranger).match(/another workspace|was not found/);
    await readAll();
  });

  describe('svc_get_notification_preferences', () => {
    it('where nobody chose, health is on, what comes in volume is off, and nothing is held back', async () => {
      const { preferences } = await read(owner);
      expect(preferences).include({ digest: 'off', quietHours: null });
      expect(preferences.channels).deep.include({
        'account.status_changed': ['in_app', 'email'],
        'reply.received': ['in_app'],
        'lead.created': [],
        'warmup.ready': ['in_app'],
      });
    });
  });

  describe('svc_update_notification_preferences', () => {
    it('changes each kind and setting by itself; who chose nothing has what the workspace chose', async () => {
      const member = await fixture.tools.as({ memberOf: ['acme'] });
      await choose(fixture.acme, { digest: 'daily', channels: { 'reply.received': ['email'], 'run.failed': [] } });
      await choose(member, { channels: { 'reply.received': [] } });
      await choose(member, { quietHours: { startHour: 22, endHour: 7, timezone: 'Asia/Kolkata' } });
      await choose(member, { quietHours: { endHour: 6 } });
      const { preferences } = await read(member);
      expect(preferences).deep.include({
        digest: 'daily',
        quietHours: { startHour: 22, endHour: 6, timezone: 'Asia/Kolkata' },
      });
      expect(preferences.channels).deep.include({
        'reply.received': [],
        'run.failed': [],
        'credits.low': ['in_app', 'email'],
      });
      await choose(member, { quietHours: { startHour: 3, endHour: 3 } });
      expect((await read(member)).preferences.quietHours).equal(null);
      for (const quietHours of [{ timezone: 'CET' }, { startHour: 3, endHour: 4, timezone: 'Mars/Olympus' }])
        expect(await member.refusal(UPDATE, { workspaceId: 'acme', quietHours })).match(/^Invalid input: quietHours\./);
      await fixture.tools.force(`delete from notification_preference`);
    });

    it('a member is told of what they chose though they are not of its audience, and not of what they chose away', async () => {
      const member = await fixture.tools.as({ memberOf: ['acme'] });
      const reply = (): Promise<unknown> =>
        happen('reply.received', { class: 'positive', channel: 'network' }, runIds[3]);
      await reply();
      await tell();
      expect(await unread(member)).deep.equal([]);
      await choose(member, { channels: { 'reply.received': ['in_app'] } });
      await choose(owner, { channels: { 'reply.received': [] } });
      await readAll();
      await reply();
      await tell();
      expect((await unread(member)).map(({ kind }) => kind)).deep.equal(['reply.received']);
      expect(await unread()).deep.equal([]);
      await fixture.tools.force(`delete from notification_preference`);
    });
  });

  describe('by mail, through a real mail server', () => {
    let platform: PlatformMails;
    before(async () => {
      platform = await startPlatformMails(fixture.tools);
    });
    after(() => platform.stop());
    beforeEach(async () => {
      await fixture.tools.force(`update notification set read_at = 1, mail_at = null`);
      await fixture.tools.force(`delete from mail_outbox`);
      await fixture.tools.force(`delete from notification_preference`);
    });

    const queue = (): Promise<boolean> => platform.queue();
    /** What left since it was asked last. */
    const mails: PlatformMails['leave'] = async () => {
      await tell();
      return platform.leave();
    };
    const subjects = async (): Promise<string[]> => (await mails()).map(({ subject }) => subject);
    const clock = (iso: string): void => {
      fixture.tools.cluster.clock.at = Date.parse(iso);
    };
    const BERLIN = { startHour: 20, endHour: 7, timezone: 'Europe/Berlin' };

    it('an agency’s Monday: a reply at night is held, a freeze is not, and at eight one digest tells what is unread', async () => {
      clock('2026-03-08T22:00:00Z');
      await choose(owner, { digest: 'daily', quietHours: BERLIN, channels: { 'reply.received': ['in_app', 'email'] } });
      await happen('reply.received', { class: 'positive', channel: 'network' }, runIds[0]);
      await happen('reply.received', { class: 'negative', channel: 'network' }, runIds[1]);
      expect(await mails(), '23:00 in Berlin').deep.equal([]);
      clock('2026-03-09T02:00:00Z');
      await happen('send.frozen', { scope: 'workspace', accountId: null, channel: null, until: null });
      await happen('account.status_changed', { accountId: fixture.accountId, status: 'checkpoint', was: 'ok' });
      const account = `${fixture.accountId} cannot act: checkpoint`;
      await happen('integration.error', { integrationId: 'int-1', reason: 'the key was revoked' });
      expect(await subjects(), 'security and freezes ignore quiet hours').deep.equal([
        'Sending is frozen in this workspace (acme)',
      ]);
      const [read] = (await unread()).filter(({ kind }) => kind === 'integration.error');
      await owner.call('svc_mark_notification_read', { notificationId: read?.notificationId });
      clock('2026-03-09T06:59:00Z');
      expect(await mails(), 'a minute before eight').deep.equal([]);
      clock('2026-03-09T07:00:00Z');
      const [digest, ...more] = await mails();
      expect(more, 'one mail').deep.equal([]);
      expect(digest).include({ to: 'owner@acme.example', subject: '2 notifications of acme' });
      expect(digest?.text).contain('2 answers in "Growth"').and.contain(account).and.not.contain('key was revoked');
      await happen('reply.received', { class: 'neutral', channel: 'network' }, runIds[2]);
      clock('2026-03-09T09:00:00Z');
      expect(await mails(), 'what was mailed and is unread grows in place').deep.equal([]);
      expect((await unread()).map(({ title }) => title)).include('3 answers in "Growth"');
    });

    it('N4: what is read anywhere before the mail leaves is not mailed', async () => {
      await happen('credits.low', { available: 9, threshold: 100 });
      await tell();
      await queue();
      await readAll();
      expect(await mails()).deep.equal([]);
      const [row] = await fixture.tools.rows('select state from mail_outbox');
      expect(row).deep.equal({ state: 'expired' });
    });

    it('N2: a member who is removed gets nothing more, neither what is due nor what is queued', async () => {
      await choose(owner, { channels: { 'credits.exhausted': [], 'member.joined': [] } });
      const member = await fixture.tools.as({ memberOf: ['acme'] });
      await choose(member, { channels: { 'credits.exhausted': ['email'] } });
      const { user } = await member.call<{ user: { id: string } }>('svc_whoami');
      const remove = (): Promise<unknown> => fixture.tools.force('delete from member where user_id = $1', [user.id]);
      const [row] = await fixture.tools.force<object>('select * from member where user_id = $1', [user.id]);
      await happen('credits.exhausted', { available: 0, threshold: 0 });
      await tell();
      await remove();
      expect(await mails(), 'due').deep.equal([]);
      await fixture.tools.force('insert into member select * from jsonb_populate_record(null::member, $1)', [
        JSON.stringify(row),
      ]);
      await happen('credits.exhausted', { available: 0, threshold: 0 });
      await tell();
      await queue();
      expect(await fixture.tools.rows('select 1 from mail_outbox')).length(1);
      await remove();
      expect(await mails(), 'queued').deep.equal([]);
    });

    it('a member whose scopes were limited gets no mail of what they may not read now: told by the engine, due, or queued', async () => {
      await choose(owner, { channels: { 'credits.exhausted': [], 'member.joined': [] } });
      const member = await fixture.tools.as({ memberOf: ['acme'] });
      await choose(member, { channels: { 'credits.exhausted': ['email'], 'run.step_done': ['email'] } });
      const { user } = await member.call<{ user: { id: string } }>('svc_whoami');
      const limit = (scopes: readonly string[] | null): Promise<unknown> =>
        fixture.tools.force('update member set scope_limit = $2 where user_id = $1', [user.id, scopes]);
      const exhaust = (): Promise<unknown> => happen('credits.exhausted', { available: 0, threshold: 0 });
      await fixture.tools.force(
        `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at)
         values (gen_random_uuid(), 'acme', $1, 'run.step_done', 'Call the lead', 'today', 'run:y', $2)`,
        [user.id, now()],
      );
      await limit(['icps:read']);
      expect(await mails(), 'told by the engine').deep.equal([]);
      await limit(null);
      await exhaust();
      await tell();
      await limit(['icps:read']);
      expect(await mails(), 'due').deep.equal([]);
      await limit(null);
      await exhaust();
      await tell();
      await queue();
      expect(await fixture.tools.rows('select 1 from mail_outbox')).length(1);
      await limit(['icps:read']);
      expect(await mails(), 'queued').deep.equal([]);
      await limit(null);
      await exhaust();
      expect(
        (await mails()).map(({ to }) => to),
        'the limit is gone',
      ).length(1);
      await fixture.tools.force('delete from member where user_id = $1', [user.id]);
    });

    it('N4: 25 mails a member and day at most; what is too much leaves together once there is room', async () => {
      await fixture.tools.force(
        `insert into mail_outbox (id, idempotency_key, kind, workspace_id, recipient, params, state, created_at, expires_at, settled_at)
         select gen_random_uuid(), 'x' || n, 'notifications', 'acme', 'owner@acme.example', '{}', 'sent', $1, $1, $1 from generate_series(1, 24) n`,
        [now()],
      );
      for (const available of [9, 8, 7]) {
        await happen('credits.low', { available, threshold: 100 });
        await tell();
        await queue();
      }
      expect(await subjects()).deep.equal(['Credits run low (acme)']);
      fixture.tools.cluster.clock.at = now() + 25 * HOUR;
      expect(await subjects()).deep.equal(['2 notifications of acme']);
    });

    it('what a node or the engine tells by itself goes by the channels that its member chose', async () => {
      await choose(owner, { channels: { 'run.step_done': ['email'] } });
      await fixture.tools.force(
        `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at)
         select gen_random_uuid(), 'acme', m.user_id, 'run.step_done', 'Call the lead', 'today', 'run:x', $1
         from member m where m.workspace_id = 'acme' and m.role = 'owner'`,
        [now()],
      );
      expect(await subjects()).deep.equal(['Call the lead (acme)']);
      expect(
        (await unread()).filter(({ kind }) => kind === 'run.step_done'),
        'by mail alone',
      ).deep.equal([]);
    });
  });
});
