import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import { syncAccount } from '../../../pkg/engine/sync/account-sync.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { recordAcceptance, recordReply } from '../../../pkg/store/inbox/inbox.ts';
import { type Bench, change, enrol, openBench, passTime, query, takeLease } from '../../fixtures/engine/harness.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { syncRound } from '../../fixtures/engine/sync-round.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import {
  chain,
  DAY,
  HOUR,
  MINUTE,
  message,
  type RunView,
  type WorkflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

/** A function's parameters without the first. */
type Tail<F extends (...given: never[]) => unknown> = Parameters<F> extends [unknown, ...infer Rest] ? Rest : never;

describe('engine: replies and acceptances', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());
  const workflowFixture = (...given: Tail<typeof places.workflowFixture>): Promise<WorkflowFixture> =>
    places.workflowFixture(bench, ...given);
  const lead = (...given: Tail<typeof places.lead>): ReturnType<typeof places.lead> => places.lead(bench, ...given);
  const runOf = (leadId: string): Promise<RunView> => places.runOf(bench, leadId);

  const syncOf = (at: WorkflowFixture): Promise<void> => syncRound(bench, at);

  it('a reply between approval and dispatch cancels the send, the draft and the run', async () => {
    const at = await workflowFixture(chain({ nodeType: 'flow:review' }, message()));
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
    const at = await workflowFixture(chain(message()));
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

  it('a reply is heard before the next message in whichever conversation it came: an InMail has one of its own', async () => {
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } };
    const at = await workflowFixture(chain(message('one'), pause, message('two')));
    const { leadId, publicId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const inChat = { messageId: 'm-one', chatId: `chat-${publicId}`, direction: 'out' as const, text: 'one' };
    at.network.inbox.push({ ...inChat, sentAt: bench.clock.now() });
    await syncOf(at);
    const { listChats } = at.network;
    at.network.listChats = async (...given) => {
      const page = await listChats.apply(at.network, given);
      const items = page.items.map((chat) =>
        chat.chatId === 'inmail' ? { ...chat, providerId: `ACo${publicId}`, publicId: null, inMail: true } : chat,
      );
      return { ...page, items };
    };
    await bench.clock.advance(HOUR / 2);
    const reply = { messageId: 'm-in', chatId: 'inmail', direction: 'in' as const, text: 'Sounds great, let us talk' };
    at.network.inbox.push({ ...reply, sentAt: bench.clock.now() });
    await passTime(bench, at.handle, 2 * HOUR, 10 * MINUTE);
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['one']);
    expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
  });

  for (const [what, nodes] of [
    ['a visit', [{ nodeType: 'network:profile_view' }, message()]],
    ['its first message', [message()]],
  ] as const) {
    it(`who asked to be left alone before they were a lead is heard when the account meets them by ${what}`, async () => {
      const at = await workflowFixture(chain(...nodes));
      const publicId = `p-${randomUUID().slice(0, 8)}`;
      at.network.connected.add(publicId);
      const chatId = `chat-${publicId}`;
      const sentAt = bench.clock.now() - 60 * DAY;
      const wish = { direction: 'in' as const, text: 'Please stop contacting me.', sentAt: sentAt + HOUR };
      at.network.inbox.push(
        { messageId: 'm-wish', chatId, ...wish },
        { messageId: 'm-by-hand', chatId, direction: 'out', text: 'Shall we talk?', sentAt },
      );
      const { listChats } = at.network;
      // The network tells of a conversation only its own id of the person.
      at.network.listChats = async (...given) => {
        const page = await listChats.apply(at.network, given);
        return { ...page, items: page.items.map((chat) => ({ ...chat, publicId: null })) };
      };
      await syncOf(at);
      // A hundred others were written to since.
      at.network.listChats = () => Promise.resolve({ items: [], cursor: null });
      const leadId = await addLead(bench.app, at.ws, { profileId: publicId });
      await enrol(bench, at.ws, at.flow, [leadId]);
      await passTime(bench, at.handle, HOUR, 5 * MINUTE);
      expect(at.network.received.filter((one) => one.kind === 'message')).to.deep.equal([]);
      expect(await runOf(leadId)).to.include({ state: 'suppressed' });
      const whose = await query(bench, 'select c.person_id = r.person_id as known from conversation c, run r');
      expect(whose, 'the conversation is theirs').to.deep.equal([{ known: true }]);
    });
  }

  it('an out-of-office reply does not end the run but waits', async () => {
    const at = await workflowFixture(
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
      const at = await workflowFixture(chain(message('one'), message('two')));
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

  describe('somebody answers, and then a machine says that they are away', () => {
    const twice = chain(
      message('one'),
      { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
      message('two'),
    );
    /** Somebody who got the first message. */
    const reached = async (settings?: object): Promise<{ at: WorkflowFixture; leadId: string; publicId: string }> => {
      const at = await workflowFixture(twice, ...(settings ? [settings] : []));
      const one = await lead(at);
      await enrol(bench, at.ws, at.flow, [one.leadId]);
      await at.handle.quiet();
      return { at, ...one };
    };
    const says = (at: WorkflowFixture, publicId: string, minute: number, text: string): void => {
      const sentAt = bench.clock.now() + minute * 60_000;
      at.network.inbox.push({ messageId: `m${minute}`, chatId: `chat-${publicId}`, direction: 'in', text, sentAt });
    };
    const NO = 'Thanks, but not interested.';
    const AWAY = 'Automatic reply: I am out of office until Monday.';

    it('the answer counts, where both are read in one round', async () => {
      const { at, leadId, publicId } = await reached();
      says(at, publicId, 1, NO);
      says(at, publicId, 2, AWAY);
      await bench.clock.advance(10 * 60_000);
      await syncOf(at);
      await passTime(bench, at.handle, 12 * DAY, 6 * HOUR);
      expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['one']);
    });

    it('the answer counts, where the conversation is read before the next message', async () => {
      const { at, leadId, publicId } = await reached();
      says(at, publicId, 1, NO);
      says(at, publicId, 2, AWAY);
      await passTime(bench, at.handle, 12 * DAY, 6 * HOUR);
      expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['one']);
    });

    it('the answer counts, where it becomes known later than the notice', async () => {
      const { at, leadId } = await reached();
      const { person_id: personId } = await runOf(leadId);
      const now = bench.clock.now();
      const record = (minute: number, replyClass: 'out_of_office' | 'negative'): Promise<number> =>
        bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
          recordReply(tx, {
            now: bench.clock.now(),
            accountId: at.account,
            personId,
            at: now + minute * 60_000,
            replyClass,
            resumeAt: now + 3 * DAY,
          }),
        );
      await bench.clock.advance(10 * 60_000);
      await record(2, 'out_of_office');
      await at.handle.quiet();
      expect(await runOf(leadId)).to.include({ state: 'replied', wait_reason: 'until_time' });
      expect(await record(1, 'negative')).to.equal(1);
      expect(await record(1, 'negative'), 'known by now').to.equal(0);
      await passTime(bench, at.handle, 12 * DAY, 6 * HOUR);
      expect(await runOf(leadId)).to.include({ state: 'completed', end_reason: 'replied' });
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['one']);
    });

    it('a campaign that goes on after answers waits until they are back all the same', async () => {
      const { at, leadId, publicId } = await reached({
        contactPolicy: { minDaysBetweenTouches: 0, stopOnReply: false },
      });
      says(at, publicId, 1, NO);
      says(at, publicId, 2, 'I am out of office, back on 9 January.');
      await bench.clock.advance(10 * 60_000);
      await syncOf(at);
      expect(await runOf(leadId)).to.include({ state: 'replied', due_at: Date.UTC(2026, 0, 9) });
      await passTime(bench, at.handle, 6 * DAY, 6 * HOUR);
      expect(at.network.received.map((one) => one.text)).to.deep.equal(['one', 'two']);
      expect((await runOf(leadId)).facts).to.include({ replyClass: 'negative' });
    });
  });

  it('where a campaign goes on after answers, each wait for a reply waits for one of its own', async () => {
    const wait = { nodeType: 'network:wait_reply', config: { timeoutMs: 3 * DAY } };
    const at = await workflowFixture(
      {
        nodes: [message('one'), wait, message('two'), wait, message('three')],
        edges: [
          { sourceIndex: 0, targetIndex: 1 },
          { sourceIndex: 1, targetIndex: 2, branch: 'replied' },
          { sourceIndex: 2, targetIndex: 3 },
          { sourceIndex: 3, targetIndex: 4, branch: 'replied' },
        ],
      },
      { contactPolicy: { minDaysBetweenTouches: 0, stopOnReply: false } },
    );
    const { leadId, publicId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const says = async (id: string): Promise<void> => {
      const sentAt = bench.clock.now() + 1_000;
      at.network.inbox.push({
        messageId: id,
        chatId: `chat-${publicId}`,
        direction: 'in',
        text: 'Who are you?',
        sentAt,
      });
      await bench.clock.advance(10 * MINUTE);
      await syncOf(at);
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
    };
    await says('m1');
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['one', 'two']);
    await says('m2');
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['one', 'two', 'three']);
  });

  it('a wish to stop suppresses the person in every workspace of the account', async () => {
    const at = await workflowFixture(
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
    const at = await workflowFixture({
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

  it('a reply stops the person in every workspace of the account, and colleagues where the policy says so', async () => {
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const at = await workflowFixture(chain(pause, message()), {
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
    // Each workspace has its own person; to the account they are one human, whom it met under one id.
    await change(
      bench,
      `insert into relation (account_id, person_id, provider_id, state)
       select $1, person_id, 'ACoShared', 'none' from run where lead_id = $2`,
      [at.account, shared],
    );
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

  it('an answer to the last message of a sequence counts as one in its campaign, once', async () => {
    const at = await workflowFixture(chain(message()));
    const { leadId, publicId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const before = await runOf(leadId);
    expect(before).to.include({ state: 'completed' });
    await bench.clock.advance(HOUR);
    const sentAt = bench.clock.now() - 1;
    at.network.inbox.push({
      messageId: 'm-in',
      chatId: `chat-${publicId}`,
      direction: 'in',
      text: 'Not for us',
      sentAt,
    });
    for (let round = 0; round < 2; round++) {
      await syncOf(at);
      await bench.clock.advance(HOUR);
    }
    const told = await query<{ at: number; data: { class: string } }>(
      bench,
      `select at::float8 as at, data from run_event where run_id = $1 and kind = 'reply.received'`,
      [before.id],
    );
    expect(told.map((event) => event.at)).to.deep.equal([sentAt]);
    const overlay = await query(bench, 'select last_replied_at::float8 as at from lead_overlay where lead_id = $1', [
      leadId,
    ]);
    expect(overlay).to.deep.equal([{ at: sentAt }]);
    expect(await runOf(leadId), 'it is over as it was').to.include({
      state: 'completed',
      end_reason: before.end_reason,
    });
  });

  it('an acceptance that is known before the request makes it needless', async () => {
    const at = await workflowFixture({
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
    const at = await workflowFixture(chain({ nodeType: 'network:connection_request' }, message('Hi')));
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
      const claim = await takeLease(bench, at.account, 'accounts-pod', 'account');
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

  it('a note of ours that opens the conversation under an id of its own is shown as the run’s, what the owner wrote is not', async () => {
    const note = { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}}, shall we connect?' };
    const at = await workflowFixture(chain({ nodeType: 'network:connection_request', config: note }));
    const { leadId, publicId } = await lead(at, false);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const body = at.network.received[0]?.text ?? '';
    expect(body).to.match(/shall we connect/);
    const shown = (messageId: string, direction: 'in' | 'out', text: string): void => {
      at.network.inbox.push({ messageId, chatId: `chat-${publicId}`, direction, text, sentAt: bench.clock.now() });
    };
    shown('note', 'out', body);
    shown('echo', 'in', body);
    shown('by-hand', 'out', 'written by the owner');
    await syncOf(at);
    const rows = await query(
      bench,
      'select m.external_id, m.via, m.run_id = r.id as own from message m left join run r on r.lead_id = $1 order by 1',
      [leadId],
    );
    expect(rows).to.deep.equal([
      { external_id: 'by-hand', via: 'elsewhere', own: null },
      { external_id: 'echo', via: 'elsewhere', own: null },
      { external_id: 'note', via: 'workflow', own: true },
    ]);
  });
});
