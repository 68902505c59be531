import { expect } from 'chai';
import {
  type NetworkProvider,
  type NetworkRelation,
  ProviderError,
  type ProviderErrorKind,
} from '../../../pkg/providers/network/network-provider.ts';
import { wakeAccount } from '../../../pkg/store/runs/wake.ts';
import { type Bench, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import { syncRound } from '../../fixtures/engine/sync-round.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import { chain, DAY, HOUR, message, type WorkflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

// What a round of an account's sync reads of its conversations, and what the next one goes on with.
describe('engine: rounds of account sync', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());
  const workflowFixture = (graph: Parameters<typeof places.workflowFixture>[1]): Promise<WorkflowFixture> =>
    places.workflowFixture(bench, graph);
  const lead = (at: WorkflowFixture): ReturnType<typeof places.lead> => places.lead(bench, at);
  const syncOf = (at: WorkflowFixture, more: { readWithinMs?: number } = {}): Promise<void> =>
    syncRound(bench, at, more);

  it('a round of sync that has no time for all conversations is followed soon by one that goes on with them, the newest first', async () => {
    const at = await workflowFixture(chain(message()));
    const said = (chat: string, hoursAgo: number) => ({
      messageId: `m-${chat}`,
      chatId: `chat-${chat}`,
      direction: 'in' as const,
      text: 'Hello',
      sentAt: bench.clock.now() - hoursAgo * HOUR,
    });
    at.network.inbox.push(said('old', 30), said('new', 1), said('middle', 5));
    const read: string[] = [];
    const { listMessages } = at.network;
    at.network.listMessages = (account, chatId) => {
      read.push(chatId);
      return listMessages.call(at.network, account, chatId);
    };
    const nextIn = async (): Promise<number> => {
      const [row] = await query<{ due: number }>(
        bench,
        'select due_at::float8 as due from account_wake where account_id = $1',
        [at.account],
      );
      return (row?.due ?? 0) - bench.clock.now();
    };
    for (const chat of ['chat-new', 'chat-middle']) {
      await syncOf(at, { readWithinMs: 0 });
      expect(read.splice(0)).to.deep.equal([chat]);
      expect(await nextIn()).to.be.within(1, 10 * 60_000);
      await bench.clock.advance(5 * 60_000);
    }
    await syncOf(at, { readWithinMs: 0 });
    expect(read.splice(0)).to.deep.equal(['chat-old']);
    expect(await nextIn(), 'all are read').to.be.greaterThan(HOUR);
    at.network.inbox.push({ ...said('middle', 0), messageId: 'm-more' });
    await bench.clock.advance(HOUR);
    await syncOf(at, { readWithinMs: 0 });
    expect(read).to.deep.equal(['chat-middle']);
    const kept = await query(bench, 'select 1 from message where account_id = $1', [at.account]);
    expect(kept).to.have.length(4);
  });

  it('a conversation that the provider does not show takes no other with it, and is asked for again', async () => {
    const at = await workflowFixture(chain(message()));
    await syncOf(at);
    await bench.clock.advance(HOUR);
    for (const [index, chat] of ['gone', 'odd', 'fine'].entries()) {
      const sentAt = bench.clock.now() - index * 60_000;
      at.network.inbox.push({ messageId: `m-${chat}`, chatId: `chat-${chat}`, direction: 'in', text: chat, sentAt });
    }
    const { listMessages } = at.network;
    const broken = new Map<string, ProviderErrorKind>([
      ['chat-gone', 'rejected'],
      ['chat-odd', 'unavailable_before_send'],
    ]);
    at.network.listMessages = (account, chatId) => {
      const kind = broken.get(chatId);
      if (kind) return Promise.reject(new ProviderError(kind, 'the network answered otherwise'));
      return listMessages.call(at.network, account, chatId);
    };
    const kept = async (): Promise<string[]> =>
      (await query<{ body: string }>(bench, 'select body from message where account_id = $1', [at.account]))
        .map((one) => one.body)
        .sort();
    await bench.clock.advance(HOUR);
    await syncOf(at);
    expect(await kept()).to.deep.equal(['fine']);
    broken.clear();
    await bench.clock.advance(DAY);
    await syncOf(at);
    expect(await kept(), 'none counts as read before it was').to.deep.equal(['fine', 'gone', 'odd']);
    at.network.listMessages = () => Promise.reject(new ProviderError('unavailable_before_send', 'away'));
    for (const chat of ['a', 'b', 'c', 'd', 'e']) {
      const sentAt = bench.clock.now();
      at.network.inbox.push({ messageId: `m-${chat}`, chatId: `chat-${chat}`, direction: 'in', text: chat, sentAt });
    }
    const error = await syncOf(at).catch((cause: unknown) => cause);
    expect(error, 'a provider that is away ends the round').to.be.instanceOf(ProviderError);
  });

  it('a conversation that is refused for two weeks is asked for no longer', async () => {
    const at = await workflowFixture(chain(message()));
    await syncOf(at);
    await bench.clock.advance(HOUR);
    const sentAt = bench.clock.now();
    at.network.inbox.push({ messageId: 'm', chatId: 'chat-gone', direction: 'in', text: 'Hello', sentAt });
    let asked = 0;
    at.network.listMessages = () => {
      asked++;
      return Promise.reject(new ProviderError('rejected', 'the network answered 404'));
    };
    const askedIn = async (days: number): Promise<number> => {
      asked = 0;
      for (let day = 0; day < days; day++) {
        await bench.clock.advance(DAY);
        await syncOf(at);
      }
      return asked;
    };
    expect(await askedIn(13)).to.equal(13);
    await askedIn(2);
    expect(await askedIn(3)).to.equal(0);
  });

  it('news in more conversations than one list of pages holds is read to its end', async () => {
    const at = await workflowFixture(chain(message()));
    await syncOf(at);
    await bench.clock.advance(HOUR);
    const [many, page] = [1_001, 100];
    const chats = Array.from({ length: many }, (_, index) => ({
      chatId: `chat-${index}`,
      providerId: `ACo${index}`,
      publicId: null,
      name: '',
      lastMessageAt: bench.clock.now() - index * 1_000,
      unread: 1,
      inMail: false,
    }));
    at.network.listChats = (...[, options]: Parameters<NetworkProvider['listChats']>) => {
      const from = Number(options?.cursor ?? 0);
      const next = from + page < many ? String(from + page) : null;
      return Promise.resolve({ items: chats.slice(from, from + page), cursor: next });
    };
    at.network.listMessages = (_account, chatId) => {
      const sentAt = chats.find((chat) => chat.chatId === chatId)?.lastMessageAt ?? 0;
      return Promise.resolve({
        items: [{ messageId: `m-${chatId}`, chatId, direction: 'in', text: 'Hello', sentAt }],
        cursor: null,
      });
    };
    await bench.clock.advance(HOUR);
    await syncOf(at);
    expect(await query(bench, 'select 1 from message where account_id = $1', [at.account])).to.have.length(many);
  });

  it('a round of sync that has not read all conversations does not make them count as read: a message looks by itself', async () => {
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } };
    const at = await workflowFixture(chain(message('one'), pause, message('two')));
    await syncOf(at);
    const { leadId, publicId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
    await bench.clock.advance(HOUR - 60_000);
    const now = bench.clock.now();
    const reply = { direction: 'in' as const, text: 'Sounds great, let us talk' };
    at.network.inbox.push({ ...reply, messageId: 'm-reply', chatId: `chat-${publicId}`, sentAt: now - 60_000 });
    at.network.inbox.push({ ...reply, messageId: 'm-newer', chatId: 'chat-somebody', sentAt: now });
    await syncOf(at, { readWithinMs: 0 });
    await passTime(bench, at.handle, 2 * HOUR, 60_000);
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['one']);
  });

  it('an account that is not connected for a moment acts again minutes after it is', async () => {
    const at = await workflowFixture(chain(message('one')));
    at.network.status = 'connecting';
    await syncOf(at);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(await places.runOf(bench, leadId)).to.include({ state: 'blocked', wait_reason: 'account_unhealthy' });
    at.network.status = 'ok';
    const [wake] = await query<{ due: number }>(
      bench,
      'select due_at::float8 as due from account_wake where account_id = $1',
      [at.account],
    );
    expect((wake?.due ?? 0) - bench.clock.now(), 'the next look').to.be.within(1, 10 * 60_000);
    await bench.clock.advance(10 * 60_000);
    await syncOf(at);
    await passTime(bench, at.handle, HOUR, 5 * 60_000);
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['one']);
  });

  it('a hint of the provider that comes while a round of sync is under way is followed by another round', async () => {
    const at = await workflowFixture(chain(message()));
    await syncOf(at);
    const due = async (): Promise<number> => {
      const [row] = await query<{ due: number }>(
        bench,
        'select due_at::float8 as due from account_wake where account_id = $1',
        [at.account],
      );
      return (row?.due ?? 0) - bench.clock.now();
    };
    const hint = (): Promise<void> =>
      bench.app.tx({ kind: 'platform' }, (tx) => wakeAccount(tx, at.account, bench.clock.now()));
    expect(await due()).to.be.greaterThan(HOUR);
    await bench.clock.advance(HOUR);
    await hint();
    expect(await due()).to.equal(0);
    await bench.clock.advance(1_000);
    at.network.listRelations = async () => {
      await bench.clock.advance(1_000);
      await hint();
      return { items: [], cursor: null };
    };
    await syncOf(at);
    expect(await due(), 'what the hint was about may have come after the look').to.be.at.most(0);
    at.network.listRelations = () => Promise.resolve({ items: [], cursor: null });
    await syncOf(at);
    expect(await due()).to.be.greaterThan(HOUR);
  });

  it('a webhook is registered once, however often the rounds fail after it', async () => {
    const at = await workflowFixture(chain(message()));
    const registered: string[] = [];
    at.network.registerWebhook = async (_account, url) => void registered.push(url.slice(0, url.lastIndexOf('/')));
    const { listRelations } = at.network;
    at.network.listRelations = () => Promise.reject(new ProviderError('rate_limited', 'too many'));
    const ingressUrl = 'https://in.example';
    for (let round = 0; round < 3; round++) {
      const failed = await syncRound(bench, at, { ingressUrl }).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(ProviderError);
    }
    at.network.listRelations = listRelations;
    await syncRound(bench, at, { ingressUrl });
    expect(registered).to.deep.equal(['https://in.example/hooks']);
  });

  it('an account whose webhook could not be moved is polled as one that has none', async () => {
    const at = await workflowFixture(chain(message()));
    const base = async (): Promise<unknown> => {
      const [row] = await query<{ base: string }>(
        bench,
        `select sync_state ->> 'webhookBase' as base from account_wake where account_id = $1`,
        [at.account],
      );
      return row?.base;
    };
    at.network.registerWebhook = () => Promise.resolve();
    await syncRound(bench, at, { ingressUrl: 'https://old.example' });
    expect(await base()).to.equal('https://old.example');
    at.network.registerWebhook = () => Promise.reject(new ProviderError('unavailable_before_send', 'away'));
    await syncRound(bench, at, { ingressUrl: 'https://new.example' });
    expect(await base(), 'the secret of the old one is known no more').to.equal('');
  });

  it('what came while the account was not connected is read when it is again', async () => {
    const at = await workflowFixture(chain(message()));
    await syncOf(at);
    await bench.clock.advance(HOUR);
    at.network.inbox.push({
      messageId: 'm-missed',
      chatId: 'chat-somebody',
      direction: 'in',
      text: 'Hello',
      sentAt: bench.clock.now(),
    });
    at.network.status = 'credentials_expired';
    await bench.clock.advance(HOUR);
    await syncOf(at);
    at.network.status = 'ok';
    await bench.clock.advance(HOUR);
    await syncOf(at);
    const kept = await query(bench, 'select body from message where account_id = $1', [at.account]);
    expect(kept).to.deep.equal([{ body: 'Hello' }]);
  });

  it('what a person wrote is heard though the lists of connections and requests can not be read', async () => {
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const at = await workflowFixture(chain(message('one'), pause, message('two')));
    const { leadId, publicId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await bench.clock.advance(HOUR);
    const sentAt = bench.clock.now() - 1;
    const reply = { messageId: 'm-in', chatId: `chat-${publicId}`, direction: 'in' as const, text: 'No, thank you' };
    at.network.inbox.push({ ...reply, sentAt });
    const { listRelations } = at.network;
    at.network.listRelations = () => Promise.reject(new ProviderError('unavailable_before_send', 'unreadable answer'));
    const failed = await syncOf(at).catch((error: unknown) => error);
    expect(failed, 'the round failed all the same').to.be.instanceOf(ProviderError);
    expect((await places.runOf(bench, leadId)).facts).to.include({ replied: true });
    at.network.listRelations = () => Promise.reject(new ProviderError('rate_limited', 'too many'));
    let [asked, unreadAsked] = [0, 0];
    at.network.listChats = (_account, { unread }) => {
      if (unread) unreadAsked++;
      else asked++;
      return Promise.resolve({ items: [], cursor: null });
    };
    await syncOf(at).catch(() => undefined);
    expect(asked + unreadAsked, 'who asks for patience is asked nothing more').to.equal(0);
    at.network.listRelations = listRelations;
    await syncOf(at);
    expect(asked).to.equal(1);
  });

  const request = { nodeType: 'network:connection_request', config: { noteMode: 'none' } };
  const waits = { nodeType: 'network:wait_connection', config: { timeoutMs: 20 * DAY } };
  /** One whom the account asked days ago, and how their relation stands after another round. */
  async function asked(): Promise<{ at: WorkflowFixture; publicId: string; stateAfter: () => Promise<unknown> }> {
    const at = await workflowFixture(chain(request, waits));
    const { leadId, publicId } = await lead(at);
    at.network.connected.delete(publicId);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await passTime(bench, at.handle, 2 * DAY, HOUR);
    const stateAfter = async (): Promise<unknown> => {
      await syncOf(at, { readWithinMs: 0 });
      const [relation] = await query<{ state: string }>(bench, 'select state from relation where account_id = $1', [
        at.account,
      ]);
      return relation?.state;
    };
    return { at, publicId, stateAfter };
  }

  it('who accepts between the reading of two lists is connected, and no request that is gone', async () => {
    const { at, publicId, stateAfter } = await asked();
    const accepts = <T>(list: () => Promise<T>): (() => Promise<T>) => {
      return async () => {
        const page = await list.call(at.network);
        at.network.connected.add(publicId);
        return page;
      };
    };
    at.network.listRelations = accepts(at.network.listRelations);
    at.network.listSentInvitations = accepts(at.network.listSentInvitations);
    expect(await stateAfter()).to.equal('connected');
  });

  it('lists of a slow network are read on as long as there is time, and prove nothing about what was not read', async () => {
    const { at, stateAfter } = await asked();
    let pagesRead = 0;
    const endless = <T>(item: T): (() => Promise<{ items: T[]; cursor: string }>) => {
      return async () => {
        pagesRead++;
        return { items: [item], cursor: 'more' };
      };
    };
    const somebody = { providerId: 'ACosomebody', publicId: null };
    at.network.listRelations = endless({ ...somebody, name: '', headline: '', connectedAt: null });
    at.network.listSentInvitations = endless({ ...somebody, invitationId: 'i', text: null, sentAt: null });
    expect(await stateAfter()).to.equal('pending');
    expect(pagesRead, 'the conversations do not wait for all pages').to.equal(2);
  });

  it('connections are read to the end a few times a day; a hint in between costs the account one page', async () => {
    const at = await workflowFixture(chain(message()));
    let asked: number[] = [];
    const connectedSince = (daysAgo: number): NetworkRelation => {
      const connectedAt = bench.clock.now() - daysAgo * DAY;
      return { providerId: `ACo-${connectedAt}`, publicId: null, name: '', headline: '', connectedAt };
    };
    at.network.listRelations = async (...[, options]: Partial<Parameters<NetworkProvider['listRelations']>>) => {
      const page = Number(options?.cursor ?? 0);
      asked.push(page);
      return { items: [connectedSince(page * 10), connectedSince(page * 10 + 9)], cursor: `${page + 1}` };
    };
    const askedIn = async (): Promise<number[]> => {
      asked = [];
      await syncOf(at);
      return asked;
    };
    const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    expect(await askedIn(), 'up to the bound').to.deep.equal(all);
    const [seen] = await query(bench, 'select sync_state from account_wake where account_id = $1', [at.account]);
    expect(seen).to.have.property('sync_state').that.deep.includes({ connections: 20, connectionsCut: true });
    await bench.clock.advance(HOUR);
    expect(await askedIn()).to.deep.equal([0]);
    await bench.clock.advance(3 * HOUR);
    expect(await askedIn()).to.deep.equal(all);
  });

  it('a note of ours is known as such in the conversation that it opens, however the network writes its lines', async () => {
    const note = { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}},\n\nshall we connect? ' };
    const at = await workflowFixture(chain({ nodeType: 'network:connection_request', config: note }));
    const { leadId, publicId } = await lead(at);
    at.network.connected.delete(publicId);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const shown = { messageId: 'note', chatId: `chat-${publicId}`, direction: 'out' as const };
    at.network.inbox.push({ ...shown, text: 'Hi Ada,\nshall we connect?', sentAt: bench.clock.now() });
    await syncOf(at);
    const rows = await query(bench, 'select via from message where account_id = $1', [at.account]);
    expect(rows).to.deep.equal([{ via: 'workflow' }]);
    const used = await query(bench, `select 1 from account_budget where account_id = $1 and action = 'message'`, [
      at.account,
    ]);
    expect(used, 'nobody wrote a message').to.deep.equal([]);
  });

  it('an InMail by hand is a unit of that budget, an answer in its conversation one of messages', async () => {
    const at = await workflowFixture(chain(message()));
    const said = (messageId: string, chatId: string, hoursAgo: number) => {
      const sentAt = bench.clock.now() - hoursAgo * HOUR;
      return { messageId, chatId, direction: 'out' as const, text: messageId, sentAt };
    };
    // Providers list the newest first.
    at.network.inbox.push(
      said('answer', 'chat-inmail', 1),
      said('inmail', 'chat-inmail', 2),
      said('hello', 'chat-a', 1),
    );
    const { listChats } = at.network;
    at.network.listChats = async (...given) => {
      const page = await listChats.apply(at.network, given);
      return { ...page, items: page.items.map((chat) => ({ ...chat, inMail: chat.chatId === 'chat-inmail' })) };
    };
    for (let round = 0; round < 2; round++) {
      await syncOf(at);
      await bench.clock.advance(HOUR);
    }
    const used = await query(
      bench,
      'select action, used[1] as used from account_budget where account_id = $1 order by action',
      [at.account],
    );
    expect(used).to.deep.equal([
      { action: 'inmail', used: 1 },
      { action: 'message', used: 2 },
    ]);
  });

  it('a request of which the provider tells only the public id still waits for its answer', async () => {
    const { at } = await asked();
    const { listSentInvitations } = at.network;
    at.network.listSentInvitations = async () => {
      const page = await listSentInvitations.call(at.network);
      return { ...page, items: page.items.map((item) => ({ ...item, providerId: '' })) };
    };
    await syncOf(at);
    await at.handle.quiet();
    const [relation] = await query(bench, 'select state from relation where account_id = $1', [at.account]);
    expect(relation).to.deep.equal({ state: 'pending' });
  });
});
