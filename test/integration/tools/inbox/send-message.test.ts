import { expect } from 'chai';
import { type EngineFixture, startEngineFixture } from '../../../fixtures/stories/engine-fixture.ts';

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
}

describe('tools: svc_send_message, by an MCP client beside an executor', function () {
  this.timeout(60_000);
  let at: EngineFixture;

  before(async () => {
    at = await startEngineFixture();
  });
  after(() => at.stop());
  afterEach(() => {
    at.network.onPerform = undefined;
  });

  /** Somebody of the network writes, and sync reads it. @returns the conversation and the message */
  async function writes(name: string, text: string): Promise<{ conversationId: string; messageId: string }> {
    hear(name, text);
    await at.sync();
    const { conversations } = await at.acme.call<{ conversations: { conversationId: string }[] }>(
      'svc_list_conversations',
      { query: `chat-p-${name.toLowerCase()}` },
    );
    const conversationId = conversations[0]?.conversationId ?? '';
    const [last] = await messages(conversationId);
    return { conversationId, messageId: last?.messageId ?? '' };
  }
  let heard = 0;
  const hear = (name: string, text: string, direction: 'in' | 'out' = 'in'): void => {
    const sentAt = at.tools.now() + ++heard;
    at.network.inbox.unshift({
      messageId: `m-${heard}`,
      chatId: `chat-p-${name.toLowerCase()}`,
      direction,
      text,
      sentAt,
    });
  };
  const messages = async (conversationId: string): Promise<Message[]> =>
    (await at.acme.call<{ messages: Message[] }>('svc_list_messages', { conversationId })).messages;
  /** Sends while the executor works. */
  async function send(input: object): Promise<Sent> {
    const [sent] = await Promise.all([at.acme.call<Sent>('svc_send_message', input), until(() => at.pass(1))]);
    return sent;
  }
  /** Lets the executor look a few times. */
  async function until(work: () => Promise<void>): Promise<void> {
    for (let round = 0; round < 6; round++) {
      await work();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }
  const received = (name: string): string[] =>
    at.network.received.filter((one) => one.publicId === `p-${name.toLowerCase()}`).map((one) => one.text ?? '');

  it('answers in a conversation at once, and the conversation and its history tell it', async () => {
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
  });
});
