import { expect } from 'chai';
import { readTraces, TracesRead } from '../../../../pkg/engine/restore/provider-traces.ts';
import {
  type NetworkMessage,
  type NetworkProvider,
  ProviderError,
} from '../../../../pkg/providers/network/network-provider.ts';

const account = { externalId: 'acc' };

/** A network of chats with one message each, whose lists of messages fail once `left` of them were read. */
class Chats {
  left = Number.POSITIVE_INFINITY;
  readonly asked: string[] = [];
  readonly messages = new Map<string, NetworkMessage[]>();

  add(chatId: string, sentAt: number, direction: 'in' | 'out' = 'out'): void {
    const said = this.messages.get(chatId) ?? [];
    said.unshift({ messageId: `${chatId}-${said.length}`, chatId, direction, text: chatId, sentAt });
    this.messages.set(chatId, said);
  }

  asProvider(inMail = false): NetworkProvider {
    const chats = [...this.messages].map(([chatId, said]) => ({
      chatId,
      providerId: `ACo${chatId}`,
      publicId: null,
      name: '',
      lastMessageAt: said[0]?.sentAt ?? 0,
      unread: 0,
      inMail,
    }));
    const items = chats.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt);
    const provider: Partial<NetworkProvider> = {
      listChats: async (_account, { cursor, limit = 100 }) => {
        const from = Number(cursor ?? 0);
        const next = from + limit;
        return { items: items.slice(from, next), cursor: next < items.length ? String(next) : null };
      },
      listMessages: async (_account, chatId) => {
        if (this.left-- <= 0) throw new ProviderError('rate_limited', 'enough for now');
        this.asked.push(chatId);
        return { items: this.messages.get(chatId) ?? [], cursor: null };
      },
      listSentInvitations: async () => ({ items: [], cursor: null }),
    };
    return provider as NetworkProvider;
  }
}

const refused = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  return error instanceof ProviderError ? error.message : `no refusal: ${String(error)}`;
};

describe('traces at a provider', () => {
  it('a reading that was cut short goes on where it was, and reads again what has moved', async () => {
    const chats = new Chats();
    for (let index = 0; index < 6; index++) chats.add(`c${index}`, 1_000_000 - index);
    const read = new TracesRead();
    chats.left = 4;
    expect(await refused(readTraces(chats.asProvider(), account, 900_000, { read }))).to.equal('enough for now');
    chats.add('c1', 1_000_001);
    chats.left = 4;
    const traces = await readTraces(chats.asProvider(), account, 900_000, { read });
    expect(traces.map((trace) => trace.ref).toSorted()).to.deep.equal([
      'c0-0',
      'c1-0',
      'c1-1',
      'c2-0',
      'c3-0',
      'c4-0',
      'c5-0',
    ]);
    expect(chats.asked).to.deep.equal(['c0', 'c1', 'c2', 'c3', 'c1', 'c4', 'c5']);
  });

  it('a list that is longer than what is read refuses, and is not taken for read', async () => {
    const chats = new Chats();
    for (let index = 0; index < 10_001; index++) chats.add(`c${index}`, 1_000_000 - index);
    const work = readTraces(chats.asProvider(), account, 0, { read: new TracesRead() });
    expect(await refused(work)).to.match(/longer than the 10000 that are compared/);
  });

  it('conversations without a date are read, and end nothing', async () => {
    const chats = new Chats();
    for (let index = 0; index < 150; index++) chats.add(`c${index}`, 1_000_000 - index);
    const provider = chats.asProvider();
    const { listChats } = provider;
    provider.listChats = async (...args) => {
      const page = await listChats(...args);
      return { ...page, items: page.items.map((chat, at) => (at === 5 ? { ...chat, lastMessageAt: 0 } : chat)) };
    };
    expect(await readTraces(provider, account, 900_000, { read: new TracesRead() })).to.have.length(150);
  });

  it('only the first message of a conversation that an InMail opened is an InMail', async () => {
    const chats = new Chats();
    chats.add('c', 1_000_000);
    chats.add('c', 1_000_010, 'in');
    chats.add('c', 1_000_020);
    const traces = await readTraces(chats.asProvider(true), account, 900_000, { read: new TracesRead() });
    expect(traces.map((trace) => [trace.ref, trace.kind])).to.deep.equal([
      ['c-2', 'message'],
      ['c-0', 'inmail'],
    ]);
    const later = await readTraces(chats.asProvider(true), account, 1_120_015, { read: new TracesRead() });
    expect(
      later.map((trace) => trace.kind),
      'the one that opened it is older',
    ).to.deep.equal(['message']);
  });
});
