import { expect } from 'chai';
import { type EngineFixture, startEngineFixture } from '../../../fixtures/stories/engine-fixture.ts';

interface Counts {
  total: number;
  accounts: { networkAccountId: string; unread: number }[];
}

const PEOPLE = ['ann', 'bob', 'cyd', 'dan'];
const STEPS = 60;
const SEEDS = [1, 2, 3];

describe('svc_get_unread_counts', function () {
  this.timeout(60_000);
  let at: EngineFixture;
  before(async () => {
    at = await startEngineFixture();
  });
  after(() => at.stop());

  let heard = 0;
  const writes = (name: string): void => {
    const chatId = `chat-p-${name}`;
    const sentAt = at.tools.cluster.clock.now();
    at.network.inbox.unshift({ messageId: `u-${++heard}`, chatId, direction: 'in', text: 'Hello', sentAt });
    at.network.unread.set(chatId, (at.network.unread.get(chatId) ?? 0) + 1);
  };
  const counts = (): Promise<Counts> => at.acme.call<Counts>('svc_get_unread_counts');
  const idOf = async (name: string): Promise<string | undefined> => {
    const { conversations } = await at.acme.call<{ conversations: { conversationId: string }[] }>(
      'svc_list_conversations',
      { query: `chat-p-${name}` },
    );
    return conversations[0]?.conversationId;
  };
  /** A seeded generator (mulberry32). */
  const drawer = (seed: number): (() => number) => {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    };
  };

  async function marks(name: string, read: boolean): Promise<void> {
    const conversationId = await idOf(name);
    if (!conversationId) return;
    const marked = await at.acme.call<{ unread: boolean }>('svc_mark_conversation_read', { conversationId, read });
    expect(marked.unread).to.equal(!read);
    expect(at.network.unread.has(`chat-p-${name}`), 'at the network too').to.equal(!read);
  }
  async function agree(step: number): Promise<void> {
    await at.sync();
    const unread = PEOPLE.filter((one) => (at.network.unread.get(`chat-p-${one}`) ?? 0) > 0).length;
    const accounts = [{ networkAccountId: at.accountId, unread }];
    expect(await counts(), `step ${step}`).to.deep.equal({ total: unread, accounts });
  }

  for (const seed of SEEDS)
    it(`is exact whatever people write, read there and mark here (seed ${seed})`, async () => {
      const draw = drawer(seed);
      for (let step = 0; step < STEPS; step++) {
        const name = PEOPLE[Math.floor(draw() * PEOPLE.length)] ?? 'ann';
        const deed = draw();
        await at.pass(1_000);
        if (deed < 0.4) writes(name);
        else if (deed < 0.55) at.network.unread.delete(`chat-p-${name}`);
        else if (deed < 0.8) await marks(name, draw() < 0.7);
        else await agree(step);
      }
    });

  it('what is marked while a round reads stays as it was marked', async () => {
    writes('eve');
    await at.sync();
    const conversationId = await idOf('eve');
    const before = (await counts()).total;
    const list = at.network.listChats.bind(at.network);
    at.network.listChats = async (...asked) => {
      const page = await list(...asked);
      await at.pass(1);
      await at.acme.call('svc_mark_conversation_read', { conversationId });
      return page;
    };
    await at.sync();
    at.network.listChats = list;
    expect((await counts()).total).to.equal(before - 1);
  });

  describe('svc_mark_conversation_read', () => {
    it('of mail it marks here alone, and only accounts of the workspace count', async () => {
      const [mail] = await at.tools.force<{ id: string }>(
        `with a as (
         insert into network_account (id, external_id, kind, provider, status_since, created_at)
         values ('mail-1', 'kim@agency.example', 'mail', 'smtp', 1, 1) returning id
       ), k as (
         insert into account_link (account_id, workspace_id, linked_at)
         select 'mail-1', workspace_id, 1 from account_link where account_id = $1
       ), other as (
         insert into network_account (id, external_id, status_since, created_at) values ('acc-x', 'acc-x', 1, 1)
       )
       insert into conversation (id, account_id, external_id, unread)
       select gen_random_uuid(), 'mail-1', 'mail:x', 1 from a returning id`,
        [at.accountId],
      );
      await at.tools.force(
        `insert into conversation (id, account_id, external_id, unread) values (gen_random_uuid(), 'acc-x', 'x', 1)`,
      );
      const { total, accounts } = await counts();
      expect(accounts.map((one) => one.networkAccountId).toSorted()).to.deep.equal([at.accountId, 'mail-1'].toSorted());
      await at.acme.call('svc_mark_conversation_read', { conversationId: mail?.id });
      expect((await counts()).total).to.equal(total - 1);
    });
  });
});

describe('svc_refresh_inbox', function () {
  this.timeout(60_000);
  let at: EngineFixture;
  before(async () => {
    at = await startEngineFixture();
  });
  after(() => at.stop());

  it('asks for a round now; one that is under way is joined, the next one is another', async () => {
    const ask = (): Promise<{ refreshId: string; status: string; lastSyncedAt: string | null }> =>
      at.acme.call('svc_refresh_inbox', { networkAccountId: at.accountId });
    const [first, second] = [await ask(), await ask()];
    expect(first.status).to.equal('queued');
    expect(second.refreshId).to.equal(first.refreshId);
    const [due] = await at.tools.rows<{ due_at: number; hinted: boolean }>(
      'select due_at, hinted from account_wake where account_id = $1',
      [at.accountId],
    );
    expect(due?.due_at).to.be.at.most(at.tools.cluster.clock.now());
    expect(due?.hinted).to.equal(true);
    const list = at.network.listChats.bind(at.network);
    let during: { refreshId: string; status: string } | undefined;
    at.network.listChats = async (...asked) => {
      during ??= await ask();
      return list(...asked);
    };
    await at.pass(1);
    await at.sync();
    at.network.listChats = list;
    expect(during).to.include({ refreshId: first.refreshId, status: 'running' });
    await at.pass(1);
    const next = await ask();
    expect(next.refreshId).not.to.equal(first.refreshId);
    expect(Date.parse(next.lastSyncedAt ?? '')).to.be.greaterThan(0);
  });
});
