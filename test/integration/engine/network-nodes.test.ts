import { expect } from 'chai';
import type { NetworkInvitation, NetworkPost } from '../../../pkg/providers/network/network-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import { killAtDispatch, lookTwice, outcomeOf } from '../../fixtures/engine/node-outcome.ts';
import { addLead } from '../../fixtures/engine/rows.ts';
import { syncRound } from '../../fixtures/engine/sync-round.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import { DAY, HOUR, NO_GAP, type WorkflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

type Config = Record<string, unknown>;

/** Everything that a lead may be before its node is reached. */
interface Scene {
  /** What is known of the lead; absent: a name that nobody has. */
  company?: string;
  /** Accepted an invitation of this account. Default true. */
  connected?: boolean;
  /** Age of the newest post in days; absent: none. */
  postDays?: number;
  post?: Partial<NetworkPost>;
  skills?: number[];
  openProfile?: boolean;
  refused?: ProviderErrorKind;
  tier?: string;
  /** Decision about the draft; the campaign then reviews everything. */
  review?: 'approved' | 'rejected';
}

const TEXTS = { text: 'Well said, {{lead:firstName}}' };
const invitation = (publicId: string): NetworkInvitation => ({
  invitationId: `inv-${publicId}`,
  providerId: `ACo${publicId}`,
  publicId,
  text: null,
  sentAt: null,
});
const BASIC: Scene = { connected: false, tier: 'basic' };
const INMAIL = { subject: 'About {{lead:company}}', text: 'Hello {{lead:firstName}}' };

describe('engine: network nodes take the outcomes of the vocabulary', function () {
  this.timeout(120_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  async function fixture(
    nodeType: string,
    config: Config,
    scene: Scene,
  ): Promise<{ at: WorkflowFixture; leadId: string }> {
    const settings = scene.review ? { ...NO_GAP, reviewMode: 'all' } : NO_GAP;
    const at = await places.workflowFixture(
      bench,
      places.chain({ nodeType, config }, { nodeType: 'flow:join' }),
      settings,
    );
    const { leadId, publicId } = await places.lead(bench, at, scene.connected ?? true);
    const { network } = at;
    if (scene.postDays !== undefined) {
      const postedAt = bench.clock.now() - scene.postDays * DAY;
      const post = { postId: `post-${publicId}`, postedAt, repost: false, canReact: true, canComment: true };
      network.posts.set(publicId, [{ ...post, ...scene.post }]);
    }
    if (scene.company) await change(bench, 'update lead set company = $2 where id = $1', [leadId, scene.company]);
    if (scene.skills) network.skills.set(publicId, scene.skills);
    if (scene.openProfile) network.openProfiles.add(publicId);
    if (scene.tier) await change(bench, 'update network_account set tier = $2 where id = $1', [at.account, scene.tier]);
    const { refused } = scene;
    if (refused) network.onPerform = () => Promise.reject(new ProviderError(refused, 'refused'));
    await enrol(bench, at.ws, at.flow, [leadId]);
    return { at, leadId };
  }

  async function personOf(leadId: string): Promise<{ publicId: string }> {
    const [row] = await query<{ publicId: string }>(bench, 'select profile_id as "publicId" from lead where id = $1', [
      leadId,
    ]);
    return { publicId: row?.publicId ?? '' };
  }

  const pendingSince = (at: WorkflowFixture, leadId: string, since: number): Promise<unknown> =>
    change(
      bench,
      `insert into relation (account_id, person_id, provider_id, state, requested_at)
       select $1, r.person_id, 'ACo' || l.profile_id, 'pending', $3 from run r join lead l on l.id = r.lead_id where l.id = $2`,
      [at.account, leadId, since],
    );

  async function outcome(
    nodeType: string,
    config: Config,
    scene: Scene,
  ): Promise<{ name: string; at: WorkflowFixture }> {
    const { at, leadId } = await fixture(nodeType, config, scene);
    await at.handle.quiet();
    if (scene.review) {
      await change(
        bench,
        `update review_item set state = $2, decided_at = $3, on_reject = 'skip_step' where workspace_id = $1`,
        [at.ws, scene.review, bench.clock.now()],
      );
      await at.handle.quiet();
    }
    return { name: (await outcomeOf(bench, leadId))?.outcome ?? 'none', at };
  }

  const table: [nodeType: string, outcome: string, why: string, config: Config, scene: Scene][] = [
    ['network:like_post', 'done', 'a young post of their own', {}, { postDays: 3 }],
    ['network:like_post', 'no_post', 'no post at all', {}, {}],
    ['network:like_post', 'no_post', 'only an old one', { maxPostAgeDays: 7 }, { postDays: 8 }],
    ['network:like_post', 'no_post', 'only passed on', {}, { postDays: 3, post: { repost: true } }],
    ['network:like_post', 'no_post', 'no reactions wanted', {}, { postDays: 3, post: { canReact: false } }],
    ['network:like_post', 'failed', 'the network refuses', {}, { postDays: 3, refused: 'rejected' }],
    ['network:comment_post', 'done', 'a young post of their own', TEXTS, { postDays: 3 }],
    [
      'network:comment_post',
      'done',
      'written from facts',
      { textMode: 'ai' },
      { postDays: 3, company: 'Acorn Robotics' },
    ],
    ['network:comment_post', 'done', 'approved', TEXTS, { postDays: 3, review: 'approved' }],
    ['network:comment_post', 'no_post', 'comments are closed', TEXTS, { postDays: 3, post: { canComment: false } }],
    ['network:comment_post', 'rejected', 'a person said no', TEXTS, { postDays: 3, review: 'rejected' }],
    ['network:comment_post', 'missing_data', 'a gap', { text: '{{lead:title}}?' }, { postDays: 3 }],
    ['network:comment_post', 'failed', 'the network refuses', TEXTS, { postDays: 3, refused: 'rejected' }],
    ['network:endorse', 'done', 'skills of a connection', {}, { skills: [1, 2] }],
    ['network:endorse', 'not_connected', 'found out by looking', {}, { connected: false, skills: [1] }],
    ['network:endorse', 'failed', 'no skill can be endorsed', {}, { skills: [] }],
    ['network:endorse', 'failed', 'the network refuses', {}, { skills: [1], refused: 'rejected' }],
    ['network:inmail', 'sent', 'a stranger', INMAIL, { connected: false }],
    ['network:inmail', 'sent', 'approved', INMAIL, { connected: false, review: 'approved' }],
    ['network:inmail', 'sent', 'open', { ...INMAIL, openProfilesOnly: true }, { connected: false, openProfile: true }],
    ['network:inmail', 'no_inmail_credits', 'not open', { ...INMAIL, openProfilesOnly: true }, { connected: false }],
    ['network:inmail', 'no_inmail_credits', 'none left', INMAIL, { connected: false, refused: 'no_credits' }],
    ['network:inmail', 'no_inmail_credits', 'a basic account', INMAIL, { connected: false, tier: 'basic' }],
    ['network:inmail', 'rejected', 'a person said no', INMAIL, { connected: false, review: 'rejected' }],
    ['network:inmail', 'missing_data', 'a gap in the subject', { ...INMAIL, subject: '{{lead:title}}' }, {}],
    ['network:inmail', 'failed', 'the network refuses', INMAIL, { connected: false, refused: 'rejected' }],
  ];
  for (const [length, scene, expected] of [
    [300, { connected: false }, 'sent'],
    [200, BASIC, 'sent'],
    [201, BASIC, 'failed'],
  ] as const) {
    it(`network:connection_request: ${expected} (a note of ${length}${scene === BASIC ? ', of a basic account' : ''})`, async () => {
      const config = { noteMode: 'static', noteTemplate: 'x'.repeat(length) };
      const { name, at } = await outcome('network:connection_request', config, scene);
      expect(name).to.equal(expected);
      expect(at.network.received).to.have.length(expected === 'sent' ? 1 : 0);
      const used = await query(bench, 'select 1 from account_budget where account_id = $1 and used[1] > 0', [
        at.account,
      ]);
      expect(used, 'nothing is reserved for what the network refuses').to.have.length(expected === 'sent' ? 2 : 0);
    });
  }
  for (const [nodeType, expected, why, config, scene] of table) {
    it(`${nodeType}: ${expected} (${why})`, async () => {
      const { name, at } = await outcome(nodeType, config, scene);
      expect(name).to.equal(expected);
      const acted = expected === 'done' || expected === 'sent';
      expect(at.network.received).to.have.length(acted ? 1 : 0);
      const [used] = await query<{ used: number }>(
        bench,
        'select coalesce(sum(used[1]), 0)::int as used from account_budget where account_id = $1',
        [at.account],
      );
      expect(used?.used, 'units of the budget').to.equal(acted ? 1 : 0);
    });
  }

  it('the action carries what the node says: reaction, newest post, skills up to the limit, subject', async () => {
    const seen: unknown[] = [];
    const watch = async (nodeType: string, config: Config, scene: Scene): Promise<void> => {
      const { at } = await fixture(nodeType, config, scene);
      at.network.onPerform = (action, perform) => {
        const { postId, reaction, skillIds, subject, text } = action;
        seen.push([postId?.slice(0, 5), reaction, skillIds, subject, text]);
        return Promise.resolve(perform());
      };
      await at.handle.quiet();
    };
    await watch('network:like_post', { reaction: 'love' }, { postDays: 1 });
    await watch('network:comment_post', TEXTS, { postDays: 1 });
    await watch('network:endorse', { maxSkills: 2 }, { skills: [7, 8, 9] });
    await watch('network:inmail', { subject: 'Dear {{lead:firstName}}', text: 'Hi' }, { connected: false });
    const none = undefined;
    expect(seen).to.deep.equal([
      ['post-', 'love', none, none, none],
      ['post-', none, none, none, 'Well said, Ada'],
      [none, none, [7, 8], none, none],
      [none, none, none, 'Dear Ada', 'Hi'],
    ]);
  });

  it('network:comment_post says nothing below a post on which the account has commented, no matter who it was by', async () => {
    const commented = new Set(['post-new']);
    const chosen: (string | undefined)[] = [];
    async function left(): Promise<string | undefined> {
      const { at, leadId } = await fixture('network:comment_post', TEXTS, {});
      const { publicId } = await personOf(leadId);
      const post = { postedAt: bench.clock.now() - DAY, repost: false, canReact: true, canComment: true };
      at.network.posts.set(publicId, [
        { ...post, postId: 'post-new' },
        { ...post, postId: 'post-before' },
      ]);
      at.network.listComments = async (_account, postId, { cursor }) => {
        const own = cursor !== undefined && commented.has(postId);
        const items = [{ commentId: `${postId}-${cursor}`, text: 'Well said, Ada', own }];
        return { items, cursor: cursor === undefined ? 'more' : null };
      };
      at.network.onPerform = async ({ postId }, perform) => {
        chosen.push(postId);
        return perform();
      };
      await at.handle.quiet();
      return (await outcomeOf(bench, leadId))?.outcome;
    }
    expect(await left()).to.equal('done');
    expect(chosen, 'the newest one on which it has not').to.deep.equal(['post-before']);
    commented.add('post-before');
    expect(await left()).to.equal('no_post');
    expect(chosen).to.have.length(1);
  });

  it('who is named by a member number is asked for by it in its own case', async () => {
    const number = 'ACoAAAbCdEfGhIjKlMnOpQrStUvWxYz0123456789';
    const at = await places.workflowFixture(bench, places.chain(places.message()));
    const leadId = await addLead(bench.app, at.ws, { profileId: number.toLowerCase() });
    await change(bench, 'update lead set profile_url = $2 where id = $1', [
      leadId,
      `https://www.linkedin.com/in/${number}`,
    ]);
    at.network.connected.add(number);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received.map(({ publicId }) => publicId)).to.deep.equal([number]);
  });

  for (const synced of [true, false]) {
    it(`a message to who has connected since an InMail goes into no conversation of an InMail (${synced ? 'known' : 'found'})`, async () => {
      const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
      const at = await places.workflowFixture(
        bench,
        places.chain({ nodeType: 'network:inmail', config: INMAIL }, pause, places.message()),
      );
      await change(bench, `update network_account set tier = 'sales' where id = $1`, [at.account]);
      const { leadId, publicId } = await places.lead(bench, at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      const opened = { messageId: 'i', chatId: `chat-${publicId}`, direction: 'out' as const, text: 'Hello Ada' };
      at.network.inbox.push({ ...opened, sentAt: bench.clock.now() });
      const { listChats } = at.network;
      at.network.listChats = async (...given) => {
        const page = await listChats.apply(at.network, given);
        return { ...page, items: page.items.map((chat) => ({ ...chat, inMail: true })) };
      };
      if (synced) await syncRound(bench, at);
      const into: (string | undefined)[] = [];
      at.network.onPerform = async ({ chatId }, perform) => {
        into.push(chatId);
        return perform();
      };
      await passTime(bench, at.handle, 2 * DAY, HOUR);
      expect(at.network.received.map((one) => one.kind)).to.deep.equal(['inmail', 'message']);
      expect(into).to.deep.equal([undefined]);
    });
  }

  it('an edited subject and text are what is sent', async () => {
    const { at } = await fixture('network:inmail', INMAIL, { connected: false, review: 'approved' });
    await at.handle.quiet();
    await change(
      bench,
      `update review_item set state = 'approved', subject = 'New', body = 'Text', decided_at = 1 where workspace_id = $1`,
      [at.ws],
    );
    await at.handle.quiet();
    const [send] = await query<{ body: string; target: { subject: string } }>(
      bench,
      'select body, target from send where workspace_id = $1',
      [at.ws],
    );
    expect([send?.body, send?.target.subject]).to.deep.equal(['Text', 'New']);
  });

  describe('never twice when the executor is killed', () => {
    const cases: [nodeType: string, config: Config, scene: Scene][] = [
      ['network:like_post', {}, { postDays: 1 }],
      ['network:endorse', {}, { skills: [1] }],
      ['network:comment_post', TEXTS, { postDays: 1 }],
      ['network:inmail', INMAIL, { connected: false }],
    ];
    for (const [nodeType, config, scene] of cases) {
      const harmless = nodeType === 'network:like_post' || nodeType === 'network:endorse';
      for (const when of ['before', 'after'] as const) {
        it(`${nodeType}, killed ${when} the request was written`, async () => {
          const { at, leadId } = await fixture(nodeType, config, scene);
          const heir = await killAtDispatch(bench, at, when);
          expect((await places.sendsOf(bench, at.ws))[0]?.state).to.equal('unknown');
          await lookTwice(bench, at, heir);
          await places.retryLater(bench, heir);
          expect(at.network.received).to.have.length(when === 'before' && harmless ? 0 : 1);
          const left = await outcomeOf(bench, leadId);
          expect(left?.maybe ?? false).to.equal(harmless);
          expect(left?.outcome).to.equal(nodeType === 'network:inmail' ? 'sent' : 'done');
        });
      }
      if (harmless) continue;
      it(`${nodeType} whose trace can not be read becomes a dead letter`, async () => {
        const { at, leadId } = await fixture(nodeType, config, scene);
        const heir = await killAtDispatch(bench, at, 'after');
        at.network.lookupOutcome = () => Promise.resolve({ unsupported: true });
        await lookTwice(bench, at, heir);
        expect((await places.sendsOf(bench, at.ws))[0]).to.include({ state: 'unknown', dead_letter_state: 'open' });
        expect(await places.runOf(bench, leadId)).to.include({ state: 'blocked', wait_reason: 'unknown_outcome' });
        expect(at.network.received).to.have.length(1);
      });
    }
  });

  for (const [what, known] of [
    ['', {}],
    [', also when the provider tells only the public id', { providerId: '' }],
  ] as const)
    it(`a request that the owner made by hand is withdrawn, however many wait for an answer since${what}`, async () => {
      const { at, leadId } = await fixture('network:withdraw_request', {}, { connected: false });
      const { publicId } = await personOf(leadId);
      await pendingSince(at, leadId, bench.clock.now() - 30 * DAY);
      const others = Array.from({ length: 150 }, (_, index) => ({ ...invitation(`other-${index}`), ...known }));
      const all = [...others, { ...invitation(publicId), ...known }];
      at.network.listSentInvitations = (_account, { cursor = '0' } = {}) => {
        const next = Number(cursor) + 100;
        const items = all.slice(Number(cursor), next);
        return Promise.resolve({ items, cursor: next < all.length ? String(next) : null });
      };
      const withdrawn: (string | undefined)[] = [];
      at.network.onPerform = (action, perform) => {
        withdrawn.push(action.invitationId);
        return Promise.resolve(perform());
      };
      await at.handle.quiet();
      expect(withdrawn).to.deep.equal([`inv-${publicId}`]);
      expect((await outcomeOf(bench, leadId))?.outcome).to.equal('done');
    });

  it('what a preparation finds in the way is told in words, not as an outcome alone', async () => {
    const { at, leadId } = await fixture('network:profile_view', {}, {});
    await change(bench, 'update lead set profile_id = null where id = $1', [leadId]);
    await at.handle.quiet();
    const told = await query<{ data: { reason: string } }>(
      bench,
      `select data from run_event e where workspace_id = $1 and kind = 'message.failed'`,
      [at.ws],
    );
    expect(told.map(({ data }) => data.reason)).to.deep.equal(['the lead has no profile address']);
    const ends = await query(bench, 'select end_reason from run where lead_id = $1', [leadId]);
    expect(ends, 'a list of runs says it too').to.deep.equal([
      { end_reason: 'network:profile_view failed: the lead has no profile address' },
    ]);
  });
});
