import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { tellWorkspace } from '../../../fixtures/tell-workspace.ts';
import { type McpFixture, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';
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

  it('a key reads no more by notifications than it may read of the events', async () => {
    await happen('reply.received', { class: 'positive', channel: 'network' }, runIds[0]);
    await tell();
    const narrow = await fixture.tools.as({ workspace: 'acme', scopes: ['notifications:read', 'workspace:read'] });
    const kinds = (await unread(narrow)).map(({ kind }) => kind);
    expect(kinds).not.include('reply.received');
    const counted = await narrow.call<{ byKind: object }>('svc_get_unread_notification_count');
    expect(counted.byKind).not.have.property('reply.received');
    await readAll();
  });
});
