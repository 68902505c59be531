import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { AccountGuard } from '../../../pkg/engine/restore/account-guard.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import type { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  MINUTE,
  message,
  NO_GAP,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';
import { freezes, guard, keeperOf, MemoryVault, reconciled } from '../../fixtures/restore/guard-fixture.ts';

/** A message that left before the backup was restored, as the provider shows it. */
function lost(at: WorkflowFixture, publicId: string, text: string, sentAt: number): void {
  const messageId = randomUUID();
  at.network.inbox.push({ messageId, chatId: `chat-${publicId}`, direction: 'out', text, sentAt });
}

const usedOf = async (bench: Bench, at: WorkflowFixture, action: string): Promise<number[] | undefined> => {
  const rows = await query<{ used: number[] }>(
    bench,
    'select used from account_budget where account_id = $1 and action = $2',
    [at.account, action],
  );
  return rows[0]?.used;
};

/** Lets the network's lists of chats have pages, as the real one's have. */
function paged(network: FakeNetwork): void {
  const all = network.listChats.bind(network);
  network.listChats = async (account, options) => {
    const { items } = await all(account, options);
    const from = Number(options.cursor ?? 0);
    const until = from + (options.limit ?? 100);
    const newest = items.toSorted((a, b) => b.lastMessageAt - a.lastMessageAt);
    return { items: newest.slice(from, until), cursor: until < items.length ? String(until) : null };
  };
}

describe('what left before a backup was restored', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
    await keeperOf(bench, new MemoryVault()).round();
  });
  afterEach(() => bench.close());

  /** Lets the engine go on after a reconciliation. */
  async function goOn(at: WorkflowFixture, ms: number): Promise<void> {
    await guard(at);
    await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
    await passTime(bench, at.handle, ms, 5 * MINUTE);
  }
  async function limited(at: WorkflowFixture, limits: object): Promise<void> {
    await change(bench, 'update network_account set limits = $2 where id = $1', [at.account, JSON.stringify(limits)]);
  }

  it('counts in the budgets of its day and its week', async () => {
    const at = await workflowFixture(bench, chain(message()));
    await limited(at, { message: { day: 3, week: 5 } });
    const leads = await Promise.all(Array.from({ length: 8 }, () => lead(bench, at)));
    const now = bench.clock.now();
    for (const [index, { publicId }] of leads.slice(0, 3).entries()) {
      lost(at, publicId, 'Hello Ada', now - (index === 0 ? DAY : index * MINUTE));
    }
    await enrol(
      bench,
      at.ws,
      at.flow,
      leads.map((one) => one.leadId),
    );
    await reconciled(bench, at);
    expect(await usedOf(bench, at, 'message')).to.deep.equal([2, 1, 0, 0, 0, 0, 0]);
    await goOn(at, 6 * HOUR);
    expect(at.network.received, 'a third of today').to.have.length(1);
    await passTime(bench, at.handle, 2 * DAY, HOUR);
    expect(at.network.received, 'a fifth of the week').to.have.length(2);
  });

  it('a request with a note counts as both, also when nobody follows the person', async () => {
    const at = await workflowFixture(bench, chain({ nodeType: 'network:connection_request' }));
    const known = await lead(bench, at, false);
    await enrol(bench, at.ws, at.flow, [known.leadId]);
    for (const publicId of [known.publicId, 'forgotten']) {
      at.network.received.push({ account: at.account, kind: 'connection_request', publicId, text: 'Hi' });
    }
    await reconciled(bench, at);
    expect(await usedOf(bench, at, 'connection_request')).to.deep.equal([2, 0, 0, 0, 0, 0, 0]);
    expect(await usedOf(bench, at, 'connection_request_with_note')).to.deep.equal([2, 0, 0, 0, 0, 0, 0]);
  });

  it('an InMail is taken for an InMail, and is not sent again', async () => {
    const inMail = { nodeType: 'network:inmail', config: { subject: 'News', text: 'An idea for {{lead:company}}' } };
    const at = await workflowFixture(bench, chain(inMail, message('Following up on my idea')));
    const { leadId, publicId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    const { listChats } = at.network;
    at.network.listChats = async (...asked) => {
      const page = await listChats.apply(at.network, asked);
      return { ...page, items: page.items.map((chat) => ({ ...chat, inMail: true })) };
    };
    lost(at, publicId, 'An idea for something else that a model wrote', bench.clock.now() - MINUTE);
    const report = await reconciled(bench, at);
    expect(report.accounts[0]?.found.map((one) => [one.kind, one.nodes])).to.deep.equal([
      ['inmail', [`${at.flow}/n0`]],
    ]);
    expect(await usedOf(bench, at, 'inmail')).to.deep.equal([1, 0, 0, 0, 0, 0, 0]);
    await goOn(at, 6 * HOUR);
    expect(at.network.received.map((one) => [one.kind, one.text])).to.deep.equal([
      ['message', 'Following up on my idea'],
    ]);
  });

  it('somebody whose profile is gone keeps no account back', async () => {
    const at = await workflowFixture(bench, chain(message()));
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    lost(at, 'gone', 'Lunch?', bench.clock.now());
    const { listChats } = at.network;
    at.network.listChats = async (...asked) => {
      const page = await listChats.apply(at.network, asked);
      return { ...page, items: page.items.map((chat) => ({ ...chat, publicId: null })) };
    };
    const { lookupProfile } = at.network;
    at.network.lookupProfile = (account, profile) =>
      'providerId' in profile && profile.providerId === 'ACogone'
        ? Promise.reject(new ProviderError('rejected', 'the network answered 404'))
        : lookupProfile.call(at.network, account, profile);
    await goOn(at, HOUR);
    expect(at.network.received).to.have.length(1);
  });

  it('is found behind more than a thousand newer conversations', async () => {
    const at = await workflowFixture(bench, chain(message()));
    const { leadId, publicId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    const now = bench.clock.now();
    lost(at, publicId, 'Hello Ada', now - HOUR);
    for (let index = 0; index < 1_100; index++) {
      at.network.inbox.push({
        messageId: `s${index}`,
        chatId: `chat-s${index}`,
        direction: 'in',
        text: 'Hi',
        sentAt: now - index,
      });
    }
    paged(at.network);
    await guard(at);
    expect((await freezes(bench))[0]).to.include({ scope: 'platform', target: 'restore' });
  });

  it('an account whose provider hangs keeps no other account waiting', async () => {
    const at = await workflowFixture(bench, chain(message()), NO_GAP);
    const other = await addAccount(bench.app, [at.ws], { id: `zzz-${randomUUID().slice(0, 8)}` });
    const { listChats } = at.network;
    const hanging = Promise.withResolvers<never>();
    at.network.listChats = (account, options) =>
      account.externalId === at.account ? hanging.promise : listChats.call(at.network, account, options);
    const checking = new AccountGuard(at.handle.deps).check();
    const compared = async (): Promise<string[]> => {
      const rows = await query<{ id: string }>(
        bench,
        'select account_id as id from account_guard where checked_start = pg_postmaster_start_time()',
      );
      return rows.map((row) => row.id);
    };
    while (!(await compared()).includes(other)) await new Promise((resolve) => setImmediate(resolve));
    expect(await compared()).to.deep.equal([other]);
    hanging.reject(new Error('away'));
    await checking;
  });
});
