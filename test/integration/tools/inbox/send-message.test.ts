import { expect } from 'chai';
import { ProviderError } from '../../../../pkg/providers/network/network-provider.ts';
import { type EngineFixture, HOUR, startEngineFixture } from '../../../fixtures/stories/engine-fixture.ts';

interface Sent {
  actionId: string;
  status: string;
  scheduledFor: string | null;
  deduplicated: boolean;
  budgetRemaining: number;
  conversationId: string | null;
  detail: string | null;
}
interface Message {
  messageId: string;
  direction: string;
  body: string;
  status: string;
  via: string;
  reason: string | null;
  attachments: { name: string; type: string }[];
}
interface Conversation {
  conversationId: string;
  leadId: string | null;
  unread: number;
  handledBy: { kind: string };
}

describe('svc_send_message', function () {
  this.timeout(60_000);
  let at: EngineFixture;

  before(async () => {
    at = await startEngineFixture();
  });
  after(() => at.stop());
  afterEach(() => {
    at.network.onPerform = undefined;
  });

  let heard = 0;
  const hear = (name: string, text: string, more: object = {}): void => {
    at.network.inbox.unshift({
      messageId: `m-${++heard}`,
      chatId: `chat-p-${name.toLowerCase()}`,
      direction: 'in',
      text,
      sentAt: at.tools.cluster.clock.now(),
      ...more,
    });
  };
  /** Somebody of the network writes, and sync reads it. @returns the conversation and the message */
  async function writes(name: string, text: string): Promise<{ conversationId: string; messageId: string }> {
    hear(name, text);
    await at.sync();
    const { conversationId } = await talkWith(name);
    const [last] = await messages(conversationId);
    await at.pass(1_000);
    return { conversationId, messageId: last?.messageId ?? '' };
  }
  async function talkWith(name: string): Promise<Conversation> {
    const { conversations } = await at.acme.call<{ conversations: Conversation[] }>('svc_list_conversations', {
      query: `chat-p-${name.toLowerCase()}`,
      detail: 'full',
    });
    const [talk] = conversations;
    if (!talk) throw new Error(`no conversation with ${name}`);
    return talk;
  }
  const messages = async (conversationId: string): Promise<Message[]> =>
    (await at.acme.call<{ messages: Message[] }>('svc_list_messages', { conversationId })).messages;
  /** Sends while the executor works. */
  const send = (input: object): Promise<Sent> => at.during(at.acme.call<Sent>('svc_send_message', input));
  const received = (name: string): string[] =>
    at.network.received.filter((one) => one.publicId === `p-${name.toLowerCase()}`).map((one) => one.text ?? '');

  it('answers in a conversation at once; the conversation and its history tell it', async () => {
    const [leadId] = await at.people(['Ann']);
    const { conversationId } = await writes('Ann', 'Can you tell me more?');
    const sent = await send({ conversationId, body: 'Gladly.' });
    expect(sent).to.include({ status: 'done', deduplicated: false, conversationId, detail: null });
    expect(received('Ann')).to.deep.equal(['Gladly.']);
    const [told] = await at.tools.rows<{ data: { leadId: string; actionId: string }; text: string }>(
      `select data, text from run_event where kind = 'message.sent' order by seq desc limit 1`,
    );
    expect(told?.text).to.equal('Gladly.');
    expect(told?.data).to.include({ leadId, actionId: sent.actionId });
    const [shown] = await messages(conversationId);
    expect(shown).to.include({ direction: 'out', body: 'Gladly.', status: 'sent', via: 'tool', reason: null });
    // Sync reads the copy of it: one message, ours, and no reply of anybody (O6).
    hear('Ann', 'Gladly.', { direction: 'out', messageId: 'ref-1' });
    await at.sync();
    expect((await messages(conversationId)).map(({ body, via }) => `${via}: ${body}`)).to.deep.equal([
      'tool: Gladly.',
      'elsewhere: Can you tell me more?',
    ]);
    expect((await talkWith('Ann')).handledBy.kind).to.equal('human');
  });

  it('O2: a paced message shows as scheduled with its moment, and a reply cancels it', async () => {
    await at.people(['Bea']);
    const { conversationId } = await writes('Bea', 'Hello');
    await at.tools.force(
      `update network_account set business_hours = '{"days":[7],"startHour":9,"endHour":10,"timezoneMode":"account"}' where id = $1`,
      [at.accountId],
    );
    const sent = await send({ conversationId, body: 'On Sunday', timing: 'paced' });
    expect(sent.status).to.equal('scheduled');
    const [waits] = await messages(conversationId);
    expect(waits).to.include({ messageId: sent.actionId, body: 'On Sunday', status: 'scheduled', via: 'tool' });
    await at.pass(HOUR);
    await writes('Bea', 'Forget it');
    const told = await messages(conversationId);
    expect(told.find((one) => one.messageId === sent.actionId)).to.include({
      status: 'failed',
      reason: 'cancelled_by_reply',
    });
    await at.tools.force(
      `update network_account set business_hours = '{"days":[1,2,3,4,5,6,7],"startHour":0,"endHour":24,"timezoneMode":"account"}' where id = $1`,
      [at.accountId],
    );
    await at.pass(HOUR);
    expect(received('Bea')).to.deep.equal([]);
  });

  it('O3: what came after the message that its writer knew stops it at its dispatch, and is named', async () => {
    await at.people(['Cyd']);
    const { conversationId, messageId } = await writes('Cyd', 'Are you there?');
    // Older than the call, and sync has not read it.
    hear('Cyd', 'I ask someone else.');
    await at.pass(3 * 60_000);
    const sent = await send({ conversationId, body: 'Yes!', expectedLastMessageId: messageId });
    expect(sent.status).to.equal('failed');
    expect(sent.detail).to.contain('a newer message arrived: m-').and.to.contain('svc_list_messages');
    expect(received('Cyd')).to.deep.equal([]);
    await at.sync();
    const again = { conversationId, body: 'Yes!', expectedLastMessageId: messageId };
    expect(await at.acme.refusal('svc_send_message', again)).to.match(/^A newer message arrived: /);
  });

  it('a reply that its writer did not know cancels it, also where the account of it is newer', async () => {
    const [leadId] = await at.people(['Moe', 'Ned']);
    const { conversationId } = await writes('Moe', 'Tell me more');
    for (const input of [{ conversationId }, { leadId }]) {
      hear('Moe', `I ask someone else, ${JSON.stringify(input).length}.`);
      await at.pass(10 * 60_000);
      const sent = await send({ ...input, body: `Gladly, ${Object.keys(input)[0]}.` });
      expect(sent.status).to.equal('stopped');
      await at.sync();
    }
    expect(received('Moe')).to.deep.equal([]);
    // Who answers after the sync knows what was said.
    expect((await send({ leadId, body: 'I see.' })).status).to.equal('done');
  });

  it('made again with its key after a newer message came, it answers what it answered', async () => {
    await at.people(['Oda']);
    const { conversationId, messageId } = await writes('Oda', 'Hello?');
    const input = { conversationId, body: 'Here!', expectedLastMessageId: messageId, idempotencyKey: 'oda-1' };
    const first = await send(input);
    expect(first.status).to.equal('done');
    await writes('Oda', 'Thank you');
    expect(await send(input)).to.deep.equal(first);
    expect(received('Oda')).to.deep.equal(['Here!']);
  });

  it('O4: holds the runs of the lead until a person resumes them, also after what is written elsewhere', async () => {
    const workflowId = await flow();
    const [dan = '', eve = ''] = await at.people(['Dan', 'Eve']);
    const runs = async (): Promise<Map<string, { runId: string; state: string }>> => {
      const { runs: found } = await at.acme.call<{ runs: { runId: string; leadId: string; state: string }[] }>(
        'svc_list_workflow_runs',
        { workflowId, detail: 'full' },
      );
      return new Map(found.map((one) => [one.leadId, one]));
    };
    await at.acme.call('svc_trigger_workflow', { workflowId, leadIds: [dan, eve] });
    await at.pass(1_000);
    expect([...(await runs()).values()].map((one) => one.state)).to.deep.equal(['waiting', 'waiting']);
    await send({ leadId: dan, body: 'By hand' });
    expect((await runs()).get(dan)?.state).to.equal('paused');
    await at.pass(1_000);
    hear('Eve', 'By my own application', { direction: 'out' });
    await at.sync();
    expect((await runs()).get(eve)?.state).to.equal('paused');
    await at.pass(100 * HOUR);
    expect(received('Eve')).to.deep.equal([]);
    const runId = (await runs()).get(eve)?.runId;
    await at.acme.call('svc_control_workflow_runs', { runIds: [runId], action: 'resume' });
    await at.sync();
    await at.pass(100 * HOUR);
    await at.pass(HOUR);
    expect(received('Eve')).to.deep.equal(['By the robot']);
  });
  it('what was written by hand since the last sync holds the run just before its message', async () => {
    const workflowId = await flow();
    const [una = '', vic = ''] = await at.people(['Una', 'Vic']);
    await at.acme.call('svc_trigger_workflow', { workflowId, leadIds: [una, vic] });
    await at.pass(1_000);
    await at.pass(47 * HOUR);
    hear('Una', 'By my own application', { direction: 'out' });
    await at.pass(2 * HOUR);
    await at.pass(HOUR);
    expect(received('Una')).to.deep.equal([]);
    expect(received('Vic')).to.deep.equal(['By the robot']);
    const { runs } = await at.acme.call<{ runs: { runId: string; leadId: string; state: string }[] }>(
      'svc_list_workflow_runs',
      { workflowId, detail: 'full' },
    );
    const held = runs.find((one) => one.leadId === una);
    expect(held?.state).to.equal('paused');
    // The person who resumes it knows of the message: it holds nothing a second time.
    await at.acme.call('svc_control_workflow_runs', { runIds: [held?.runId], action: 'resume' });
    await at.pass(HOUR);
    await at.pass(HOUR);
    expect(received('Una')).to.deep.equal(['By the robot']);
  });
  it('what was written by hand to somebody not met yet holds their run once the account meets them', async () => {
    const workflowId = await flow();
    const [leadId] = await at.people(['Wim']);
    await at.acme.call('svc_trigger_workflow', { workflowId, leadIds: [leadId] });
    await at.pass(1_000);
    hear('Wim', 'By my own application', { direction: 'out' });
    // The network tells of the conversation only its own id of the person, which nobody has looked up.
    const { listChats } = at.network;
    at.network.listChats = async (...given) => {
      const page = await listChats.apply(at.network, given);
      return { ...page, items: page.items.map((chat) => ({ ...chat, publicId: null })) };
    };
    at.network.connected.delete('p-wim');
    await at.sync();
    at.network.connected.add('p-wim');
    at.network.listChats = listChats;
    expect((await talkWith('Wim')).leadId).to.equal(null);
    await at.pass(100 * HOUR);
    await at.pass(HOUR);
    expect(received('Wim')).to.deep.equal([]);
    expect((await talkWith('Wim')).leadId).to.equal(leadId);
    const read = { workflowId, detail: 'full' };
    const { runs } = await at.acme.call<{ runs: { state: string }[] }>('svc_list_workflow_runs', read);
    expect(runs.map((one) => one.state)).to.deep.equal(['paused']);
  });
  it('O5: a conversation that one campaign had is not gone on with by another until a person resumes the run', async () => {
    const policy = { recontactAfterDays: 0, minDaysBetweenTouches: 0 };
    const [pam = '', quin = ''] = await at.people(['Pam', 'Quin']);
    await at.acme.call('svc_trigger_workflow', { workflowId: await flow(policy), leadIds: [pam, quin] });
    const threeDays = async (): Promise<void> => {
      for (let hours = 0; hours < 60; hours += 10) await at.pass(10 * HOUR);
      for (let hours = 0; hours < 4; hours++) await at.pass(HOUR);
    };
    await threeDays();
    expect([received('Pam'), received('Quin')]).to.deep.equal([['By the robot'], ['By the robot']]);
    await writes('Pam', 'Tell me more');
    const workflowId = await flow(policy);
    await at.acme.call('svc_trigger_workflow', { workflowId, leadIds: [pam, quin] });
    await threeDays();
    expect(received('Pam'), 'she answered another campaign').to.deep.equal(['By the robot']);
    expect(received('Quin'), 'nobody talked yet').to.deep.equal(['By the robot', 'By the robot']);
    const { runs } = await at.acme.call<{ runs: { runId: string; leadId: string; state: string }[] }>(
      'svc_list_workflow_runs',
      { workflowId, detail: 'full' },
    );
    const held = runs.find((one) => one.leadId === pam);
    expect(held?.state).to.equal('paused');
    const { timeline } = await at.acme.call<{ timeline: { text: string }[] }>('svc_get_workflow_run', {
      runId: held?.runId,
    });
    expect(timeline.at(-1)?.text).to.contain('another campaign').and.contain('svc_control_workflow_runs');
    await at.acme.call('svc_control_workflow_runs', { runIds: [held?.runId], action: 'resume' });
    for (let hours = 0; hours < 3; hours++) await at.pass(HOUR);
    expect(received('Pam')).to.deep.equal(['By the robot', 'By the robot']);
  });
  async function flow(contactPolicy: object = {}): Promise<string> {
    const { campaignId } = await at.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Robots' });
    const graph = {
      nodes: [
        { nodeType: 'source:manual' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 48 * HOUR } },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'By the robot' } },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ],
    };
    const hours = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
    await at.acme.call('svc_update_campaign', { campaignId, businessHours: hours, reviewMode: 'off', contactPolicy });
    const made = await at.acme.call<{ workflowId: string }>('svc_create_workflow', { campaignId, name: 'Flow', graph });
    await at.acme.call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
    return made.workflowId;
  }

  it('a stranger who wrote becomes a lead with the answer', async () => {
    const { conversationId } = await writes('Fay', 'Do you deliver to Malta?');
    expect((await talkWith('Fay')).leadId).to.equal(null);
    at.network.connected.add('p-fay');
    const sent = await send({ conversationId, body: 'We do.' });
    expect(sent.status).to.equal('done');
    expect(received('Fay')).to.deep.equal(['We do.']);
    const { lead } = await at.acme.call<{ lead: { profileUrl: string } }>('svc_get_lead', {
      leadId: (await talkWith('Fay')).leadId,
    });
    expect(lead.profileUrl).to.contain('p-fay');
  });

  it('an answer that is lost says so, and what is looked up says what became of it', async () => {
    const [leadId] = await at.people(['Gil']);
    at.network.onPerform = async (_action, perform) => {
      perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    const sent = await send({ leadId, body: 'Lost' });
    expect(sent).to.include({ status: 'unknown' });
    expect(sent.detail).to.contain('svc_diagnose');
    await at.pass(2 * 60_000);
    const again = await send({ leadId, body: 'Lost', timing: 'paced' });
    expect(again).to.include({ actionId: sent.actionId, deduplicated: true });
    await at.tools.force('update send set lookup_after = clock_timestamp() where lookup_after is not null');
    await at.lookUp();
    const { checks } = await at.acme.call<{ checks: { detail: string }[] }>('svc_diagnose', {
      target: 'action',
      targetId: sent.actionId,
    });
    expect(checks[0]?.detail).to.contain('was done');
    expect(received('Gil')).to.deep.equal(['Lost']);
  });

  it('made again with its key, it is sent once and answers the same action', async () => {
    const [leadId] = await at.people(['Hal']);
    const input = { leadId, body: 'Once', idempotencyKey: 'hal-1' };
    const first = await send(input);
    const second = await send(input);
    expect(second).to.deep.equal(first);
    expect(received('Hal')).to.deep.equal(['Once']);
    expect(await at.acme.refusal('svc_send_message', { ...input, body: 'Twice' })).to.contain('idempotencyKey');
  });

  it('who is no connection gets nothing, and the answer names what reaches them', async () => {
    const { leadId } = await at.acme.call<{ leadId: string }>('svc_upsert_lead', {
      profileUrl: 'https://www.linkedin.com/in/p-stranger',
    });
    const sent = await send({ leadId, body: 'Hello' });
    expect(sent.status).to.equal('failed');
    expect(sent.detail).to.contain('svc_send_connection_request');
  });

  it('names what is attached, and the replies of a run carry their text for who may read the inbox', async () => {
    const workflowId = await flow();
    const [ida = ''] = await at.people(['Ida']);
    await at.acme.call('svc_trigger_workflow', { workflowId, leadIds: [ida] });
    await at.pass(1_000);
    hear('Ida', 'Here is our offer', { attachments: [{ name: 'offer.pdf', type: 'file' }] });
    await at.sync();
    const { conversationId } = await talkWith('Ida');
    const [last] = await messages(conversationId);
    expect(last?.attachments).to.deep.equal([{ name: 'offer.pdf', type: 'file' }]);
    const { runs } = await at.acme.call<{ runs: { runId: string }[] }>('svc_list_workflow_runs', { workflowId });
    const read = { runId: runs[0]?.runId };
    const { timeline, conversationIds } = await at.acme.call<{
      timeline: { kind: string; text: string }[];
      conversationIds: string[];
    }>('svc_get_workflow_run', read);
    expect(timeline.find((one) => one.kind === 'reply.received')?.text).to.equal('Here is our offer');
    expect(conversationIds).to.deep.equal([conversationId]);
    const [workspace] = await at.tools.rows<{ id: string }>('select workspace_id as id from lead where id = $1', [ida]);
    const blind = await at.tools.as({ workspace: workspace?.id ?? '', scopes: ['workflows:read'] });
    const unread = await blind.call<{ timeline: { kind: string; text: string }[] }>('svc_get_workflow_run', read);
    expect(unread.timeline.find((one) => one.kind === 'reply.received')?.text).to.equal('');
    const by = async (filter: object): Promise<string[]> =>
      (await at.acme.call<{ conversations: Conversation[] }>('svc_list_conversations', filter)).conversations.map(
        (one) => one.conversationId,
      );
    expect(await by({ leadId: ida })).to.deep.equal([conversationId]);
    const { workflow } = await at.acme.call<{ workflow: { campaignId: string } }>('svc_get_workflow', { workflowId });
    expect(await by({ campaignId: workflow.campaignId })).to.deep.equal([conversationId]);
    expect(await by({ campaignId: workflow.campaignId, query: 'nobody' })).to.deep.equal([]);
  });
});
