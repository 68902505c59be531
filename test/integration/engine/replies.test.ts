import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import { syncAccount } from '../../../pkg/engine/account-sync.ts';
import {
  type NetworkProvider,
  ProviderError,
  type ProviderErrorKind,
} from '../../../pkg/providers/network/network-provider.ts';
import { recordAcceptance, recordReply } from '../../../pkg/store/inbox.ts';
import { wakeAccount } from '../../../pkg/store/wake.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from './fixtures.ts';
import { type Bench, change, enrol, openBench, passTime, query, takeClaim } from './harness.ts';
import * as places from './place.ts';
import { chain, DAY, HOUR, message, type Place, type RunView } from './place.ts';

/** A function's parameters without the first. */
type Tail<F extends (...given: never[]) => unknown> = Parameters<F> extends [unknown, ...infer Rest] ? Rest : never;

describe('engine: replies and acceptances', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());
  const place = (...given: Tail<typeof places.place>): Promise<Place> => places.place(bench, ...given);
  const lead = (...given: Tail<typeof places.lead>): ReturnType<typeof places.lead> => places.lead(bench, ...given);
  const runOf = (leadId: string): Promise<RunView> => places.runOf(bench, leadId);

  /** One round of the account's sync. */
  async function syncOf(at: Place, more: { readWithinMs?: number } = {}): Promise<void> {
    const claim = await takeClaim(bench, at.account, 'accounts-pod', 'account');
    await syncAccount({
      claim,
      clock: bench.clock,
      providers: () => at.network,
      newId: () => randomUUID(),
      log: createLogger('test', 'silent'),
      ...more,
    });
    await claim.release();
  }

  it('a reply between approval and dispatch cancels the send, the draft and the run', async () => {
    const at = await place(chain({ nodeType: 'flow:review' }, message()));
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    expect(run).to.include({ state: 'in_review', wait_reason: 'review' });
    await change(bench, `update review_item set state = 'approved', decided_at = $1`, [bench.clock.now()]);
    const replied = await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'positive',
        resumeAt: null,
      }),
    );
    expect(replied).to.equal(1);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
    expect((await query<{ state: string }>(bench, 'select state from review_item'))[0]?.state).to.equal('cancelled');
  });

  it('a conversation is fetched before a message, and a reply found there stops it', async () => {
    const at = await place(chain(message()));
    const { leadId, publicId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.inbox.push({
      messageId: 'm1',
      chatId: `chat-${publicId}`,
      direction: 'in',
      text: 'Sounds great, let us talk',
      sentAt: bench.clock.now(),
    });
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
    const [budget] = await query<{ used: number[] }>(bench, `select used from account_budget where account_id = $1`, [
      at.account,
    ]);
    expect(budget?.used[0]).to.equal(0);
  });

  it('an out-of-office reply does not end the run but waits', async () => {
    const at = await place(
      chain(
        message('one'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        message('two'),
      ),
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'out_of_office',
        resumeAt: bench.clock.now() + 3 * DAY,
      }),
    );
    expect(await runOf(leadId)).to.include({ state: 'replied', due_at: bench.clock.now() + 3 * DAY });
    await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
    expect(at.network.received).to.have.length(1);
    await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['one', 'two']);
  });

  for (const [what, answered] of [
    ['is found out while the person is away', false],
    ['was confirmed just before, and its run has not gone on yet', true],
  ] as const) {
    it(`an out-of-office reply holds the run until the person is back, also when its message ${what}`, async () => {
      const at = await place(chain(message('one'), message('two')));
      await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
      const { leadId } = await lead(at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      at.network.onPerform = async (_action, perform) => {
        const done = perform();
        if (answered) return done;
        throw new ProviderError('unknown_outcome', 'connection reset');
      };
      await at.handle.engine.step();
      await at.handle.engine.settle();
      at.network.onPerform = undefined;
      const resumeAt = bench.clock.now() + 3 * DAY;
      await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, async (tx) =>
        recordReply(tx, {
          now: bench.clock.now(),
          accountId: at.account,
          personId: (await runOf(leadId)).person_id,
          at: bench.clock.now(),
          replyClass: 'out_of_office',
          resumeAt,
        }),
      );
      await change(bench, 'update send set lookup_after = clock_timestamp() where lookup_after is not null');
      await at.handle.lookUp();
      await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
      expect(await runOf(leadId)).to.include({ state: 'replied', wait_reason: 'until_time', due_at: resumeAt });
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['one']);
      await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['one', 'two']);
    });
  }

  it('a wish to stop suppresses the person in every workspace of the account', async () => {
    const at = await place(
      chain(
        message('one'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        message('two'),
      ),
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const run = await runOf(leadId);
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'unsubscribe',
        resumeAt: null,
      }),
    );
    expect(await runOf(leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
    expect((await enrol(bench, at.ws, at.flow, [leadId]))[0]?.skipped).to.equal('suppressed');
  });

  it('acceptance wakes the run that waits for it, and account sync finds acceptances and replies', async () => {
    const at = await place({
      nodes: [
        { nodeType: 'network:connection_request' },
        { nodeType: 'network:wait_connection', config: { timeoutMs: 14 * DAY } },
        message('Thanks {{lead:firstName}}'),
        { nodeType: 'network:wait_reply' },
        { nodeType: 'lead:tag', config: { add: ['answered'], remove: [] } },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2, branch: 'accepted' },
        { sourceIndex: 2, targetIndex: 3 },
        { sourceIndex: 3, targetIndex: 4, branch: 'replied' },
      ],
    });
    const { leadId, publicId } = await lead(at, false);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(await runOf(leadId)).to.include({ node_id: 'n1', wait_reason: 'duration' });
    const sync = (): Promise<void> => syncOf(at);
    await sync();
    expect((await runOf(leadId)).node_id).to.equal('n1');
    at.network.connected.add(publicId);
    await bench.clock.advance(5 * HOUR);
    await sync();
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['connection_request', 'message']);
    await bench.clock.advance(HOUR);
    at.network.inbox.push({
      messageId: 'm-in',
      chatId: `chat-${publicId}`,
      direction: 'in',
      text: 'Yes, I am interested',
      sentAt: bench.clock.now() - 1,
    });
    at.network.listChats = () =>
      Promise.resolve({
        items: [
          {
            chatId: `chat-${publicId}`,
            providerId: `ACo${publicId}`,
            publicId,
            name: 'Ada',
            lastMessageAt: bench.clock.now() - 1,
            unread: 1,
            inMail: false,
          },
        ],
        cursor: null,
      });
    await sync();
    await at.handle.quiet();
    const tags = await query<{ tags: string[] }>(bench, 'select tags from lead_overlay where lead_id = $1', [leadId]);
    expect(tags[0]?.tags).to.deep.equal(['answered']);
    const inbox = await query<{ reply_class: string }>(
      bench,
      'select reply_class from conversation where account_id = $1',
      [at.account],
    );
    expect(inbox[0]?.reply_class).to.equal('positive');
  });

  it('a round of sync that has no time for all conversations is followed soon by one that goes on with them, the newest first', async () => {
    const at = await place(chain(message()));
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
    const at = await place(chain(message()));
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
    const at = await place(chain(message()));
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
    const at = await place(chain(message()));
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
    const at = await place(chain(message('one'), pause, message('two')));
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

  it('a hint of the provider that comes while a round of sync is under way is followed by another round', async () => {
    const at = await place(chain(message()));
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

  it('what came while the account was not connected is read when it is again', async () => {
    const at = await place(chain(message()));
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

  it('a reply stops the person in every workspace of the account, and colleagues where the policy says so', async () => {
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const at = await place(chain(pause, message()), {
      contactPolicy: { minDaysBetweenTouches: 0, stopCompanyOnReply: true },
    });
    const other = await addWorkspace(bench.app);
    await change(bench, 'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 1)', [
      at.account,
      other,
    ]);
    const otherFlow = await addWorkflow(
      bench.app,
      other,
      await addCampaign(bench.app, other, {}),
      chain(pause, message()),
    );
    const shared = await addLead(bench.app, null, { company: 'Acme' });
    const colleague = await addLead(bench.app, at.ws, { company: 'Acme' });
    await enrol(bench, at.ws, at.flow, [shared, colleague]);
    await enrol(bench, other, otherFlow, [shared]);
    await at.handle.quiet();
    const run = await runOf(shared);
    const stopped = await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: run.person_id,
        at: bench.clock.now(),
        replyClass: 'positive',
        resumeAt: null,
      }),
    );
    expect(stopped).to.equal(2);
    const states = await query<{ workspace_id: string; state: string }>(
      bench,
      'select workspace_id, state from run where lead_id = $1',
      [shared],
    );
    expect(states.map((one) => one.state)).to.deep.equal(['replied', 'replied']);
    expect(await runOf(colleague)).to.include({ state: 'stopped', end_reason: 'a colleague replied' });
  });

  it('an acceptance that is known before the request makes it needless', async () => {
    const at = await place({
      nodes: [{ nodeType: 'network:connection_request' }, { nodeType: 'flow:end', config: { reason: 'known' } }],
      edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'already_connected' }],
    });
    const { leadId } = await lead(at, true);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    const run = await runOf(leadId);
    expect(run.state).to.equal('completed');
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordAcceptance(tx, { now: 1, accountId: at.account, personId: run.person_id, providerId: 'x', at: 1 }),
    );
  });

  it('what the owner did by hand counts against the budgets, once; what we did counts as ours', async () => {
    const at = await place(chain({ nodeType: 'network:connection_request' }, message('Hi')));
    const ours = await lead(at, false);
    await enrol(bench, at.ws, at.flow, [ours.leadId]);
    await at.handle.quiet();
    const theirs = await lead(at);
    const out = (messageId: string, publicId: string, text: string, daysAgo: number): void => {
      const sentAt = bench.clock.now() - daysAgo * DAY;
      at.network.inbox.push({ messageId, chatId: `chat-${publicId}`, direction: 'out', text, sentAt });
    };
    out('by-hand-1', theirs.publicId, 'written by the owner', 0);
    out('by-hand-2', theirs.publicId, 'written by the owner before', 2);
    out('by-hand-3', 'a-stranger', 'to somebody else', 0);
    out('long-ago', theirs.publicId, 'last month', 30);
    at.network.received.push({ account: at.account, kind: 'connection_request', publicId: 'a-stranger-2', text: null });
    const used = async (action: string): Promise<number[] | undefined> =>
      (
        await query<{ used: number[] }>(
          bench,
          'select used from account_budget where account_id = $1 and action = $2',
          [at.account, action],
        )
      )[0]?.used;
    const sync = async (): Promise<void> => {
      const claim = await takeClaim(bench, at.account, 'accounts-pod', 'account');
      const log = createLogger('test', 'silent');
      await syncAccount({ claim, clock: bench.clock, providers: () => at.network, newId: () => randomUUID(), log });
      await claim.release();
    };
    await change(bench, 'update network_account set health = 0.3 where id = $1', [at.account]);
    await sync();
    const judged = await query(bench, 'select health from network_account where id = $1', [at.account]);
    expect(judged, 'each round judges the account anew').to.deep.equal([{ health: 1 }]);
    expect(await used('message')).to.deep.equal([2, 0, 1, 0, 0, 0, 0]);
    // The first round can't know when a pending request without a time was made; only ours is counted.
    expect(await used('connection_request')).to.deep.equal([1, 0, 0, 0, 0, 0, 0]);
    at.network.received.push({ account: at.account, kind: 'connection_request', publicId: 'a-stranger-3', text: null });
    await bench.clock.advance(HOUR);
    await sync();
    await sync();
    expect(await used('message')).to.deep.equal([2, 0, 1, 0, 0, 0, 0]);
    expect(await used('connection_request')).to.deep.equal([2, 0, 0, 0, 0, 0, 0]);
  });
});
