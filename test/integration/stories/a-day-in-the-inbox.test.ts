import { expect } from 'chai';
import type { EngineHandle } from '../../fixtures/engine/harness.ts';
import { type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { openWorkspace, platformAdmin, withKeyOf } from '../../fixtures/stories/people.ts';
import type { ToolUser } from '../../tools/mcp-tools.ts';

interface Talk {
  conversationId: string;
  leadId: string | null;
  unread: number;
  handledBy: { kind: string; id: string | null };
}
interface Message {
  messageId: string;
  body: string;
  status: string;
  runId: string | null;
}
interface Sent {
  actionId: string;
  status: string;
}

// One account speaks for three clients: its inbox is one, and what each client knows and plans is its own.
describe('story: a day in the inbox of an agency with three clients on one account', function () {
  this.timeout(60_000);
  let at: EngineFixture;
  let first: ToolUser;
  let second: ToolUser;
  let third: ToolUser;
  let stranger: ToolUser;
  let executor: EngineHandle;

  before(async () => {
    at = await startEngineFixture();
    const admin = await platformAdmin(at.tools);
    const [own] = await at.tools.rows<{ id: string }>(
      'select workspace_id as id from account_link where account_id = $1',
      [at.accountId],
    );
    const agency = { agencyId: 'north', reason: 'one agency' };
    await admin.call('svc_admin_update_workspace', { workspaceId: own?.id, ...agency });
    const open = async (name: string, linked: boolean): Promise<{ workspaceId: string; user: ToolUser }> => {
      const made = await openWorkspace(at.tools, admin, name, { agencyId: 'north' });
      const { workspaceId } = made;
      const link = { action: 'link', accountKind: 'network', accountId: at.accountId, workspaceId };
      if (linked) await admin.call('svc_admin_link_account', link);
      return { workspaceId, user: await withKeyOf(at.tools, made.owner, workspaceId) };
    };
    first = at.acme;
    const other = await open('second', true);
    second = other.user;
    third = (await open('third', true)).user;
    stranger = (await open('stranger', false)).user;
    executor = await at.executorOf(other.workspaceId);
  });
  after(() => at.stop());

  let heard = 0;
  const hear = (name: string, text: string): void => {
    const sentAt = at.tools.cluster.clock.now();
    at.network.inbox.unshift({ messageId: `d-${++heard}`, chatId: `chat-p-${name}`, direction: 'in', text, sentAt });
    at.network.unread.set(`chat-p-${name}`, 1);
  };
  const talks = async (user: ToolUser): Promise<Talk[]> =>
    (await user.call<{ conversations: Talk[] }>('svc_list_conversations', { detail: 'full' })).conversations;
  const read = async (user: ToolUser, conversationId: string): Promise<Message[]> =>
    (await user.call<{ messages: Message[] }>('svc_list_messages', { conversationId })).messages;
  const unread = async (user: ToolUser): Promise<number> =>
    (await user.call<{ total: number }>('svc_get_unread_counts')).total;
  const send = (user: ToolUser, input: object): Promise<Sent> => at.during(user.call<Sent>('svc_send_message', input));
  /** A client's workflow that writes to a lead in two days. @returns the run */
  async function follows(user: ToolUser, leadId: string, text: string): Promise<string> {
    const { campaignId } = await user.call<{ campaignId: string }>('svc_create_campaign', { title: text });
    const businessHours = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
    const contactPolicy = {
      minDaysBetweenTouches: 0,
      recontactAfterDays: 0,
      dedupeScope: 'campaign',
      stopOnReply: false,
    };
    await user.call('svc_update_campaign', { campaignId, businessHours, contactPolicy, reviewMode: 'off' });
    const graph = {
      nodes: [
        { nodeType: 'source:manual' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 48 * HOUR } },
        { nodeType: 'network:message', config: { textMode: 'static', text } },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ],
    };
    const made = await user.call<{ workflowId: string }>('svc_create_workflow', { campaignId, name: text, graph });
    await user.call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
    const input = { workflowId: made.workflowId, leadIds: [leadId], detail: 'full' };
    const { runIds } = await user.call<{ runIds: string[] }>('svc_trigger_workflow', input);
    return runIds[0] ?? '';
  }
  const stateOf = async (user: ToolUser, runId: string): Promise<string> =>
    (await user.call<{ run: { state: string } }>('svc_get_workflow_run', { runId })).run.state;

  it('everybody reads the inbox of the account, and nobody learns of another client', async () => {
    const lead = { firstName: 'Ann', profileUrl: 'https://www.linkedin.com/in/p-ann' };
    at.network.connected.add('p-ann');
    const mine = (await first.call<{ leadId: string }>('svc_upsert_lead', lead)).leadId;
    const theirs = (await second.call<{ leadId: string }>('svc_upsert_lead', lead)).leadId;
    const [ours, other] = [await follows(first, mine, 'Of the first'), await follows(second, theirs, 'Of the second')];
    await at.pass(1_000);
    await executor.quiet();

    // Morning: she writes. Each of the three has one unread conversation, with its own view of who that is.
    hear('ann', 'What does it cost?');
    await at.sync();
    expect(await Promise.all([first, second, third].map(unread))).to.deep.equal([1, 1, 1]);
    const views = await Promise.all([first, second, third].map(talks));
    expect(views.map(([talk]) => talk?.leadId)).to.deep.equal([mine, theirs, null]);
    expect(views[2]?.[0]?.handledBy).to.deep.include({ kind: 'none', id: null });
    const conversationId = views[0]?.[0]?.conversationId ?? '';
    expect(await talks(stranger)).to.deep.equal([]);
    expect(await stranger.refusal('svc_list_messages', { conversationId })).to.contain('was not found');

    // The first answers by hand: human and robot never talk at once, whoever's robot it is.
    await at.pass(60_000);
    const [asked] = await read(first, conversationId);
    const answer = { conversationId, body: 'Less than you think.', expectedLastMessageId: asked?.messageId };
    expect((await send(first, answer)).status).to.equal('done');
    expect(await stateOf(first, ours)).to.equal('paused');
    expect(await stateOf(second, other)).to.equal('paused');
    await first.call('svc_mark_conversation_read', { conversationId });
    expect(await Promise.all([first, second, third].map(unread))).to.deep.equal([0, 0, 0]);

    // Noon: what one plans is nobody else's to read before it is said.
    await at.tools.force(
      `update network_account set business_hours = '{"days":[7],"startHour":9,"endHour":10,"timezoneMode":"account"}' where id = $1`,
      [at.accountId],
    );
    const later = await send(first, { conversationId, body: 'I call you on Sunday.', timing: 'paced' });
    expect(later.status).to.equal('scheduled');
    const planned = async (user: ToolUser): Promise<boolean> =>
      (await read(user, conversationId)).some((one) => one.body === 'I call you on Sunday.');
    expect(await Promise.all([first, second, third].map(planned))).to.deep.equal([true, false, false]);
    const targeted = { target: 'action', targetId: later.actionId };
    expect(await second.refusal('svc_diagnose', targeted)).to.contain('was not found');
    const stopped = { actionIds: [later.actionId], action: 'stop' };
    expect(await second.refusal('svc_control_workflow_runs', stopped)).to.contain('was not found');

    // Evening: she writes again, which takes back what was planned; the second's robot goes on when its people say so.
    await at.pass(HOUR);
    hear('ann', 'No need to call, we take it.');
    await at.sync();
    const told = (await read(first, conversationId)).find((one) => one.messageId === later.actionId);
    expect(told).to.include({ status: 'failed', reason: 'cancelled_by_reply' });
    await at.pass(100 * HOUR);
    await executor.quiet();
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['Less than you think.']);
    const [budget] = await at.tools.rows<{ used: number }>(
      `select (select sum(u) from unnest(used) u)::int as used from account_budget where account_id = $1 and action = 'message'`,
      [at.accountId],
    );
    expect(budget?.used).to.equal(1);
  });
});
