import { expect } from 'chai';
import { readLackingSends } from '../../../../pkg/engine/restore/lacking-sends.ts';
import { TracesRead } from '../../../../pkg/engine/restore/provider-traces.ts';
import type { NetworkProvider } from '../../../../pkg/providers/network/network-provider.ts';
import { lackingTraces } from '../../../../pkg/store/restore/restore-guard.ts';
import { type ContentWorld, HOUR, MINUTE, openContentWorld } from '../../../fixtures/content/content-world.ts';

describe('content: published exactly once, as approved, and seen to be online', function () {
  this.timeout(120_000);
  let world: ContentWorld;
  before(async () => {
    world = await openContentWorld();
  });
  after(() => world.stop());
  beforeEach(() => world.control('posts', {}));
  afterEach(() => world.control('faults', []));

  it('goes from draft to online: submitted, approved, scheduled, published through the ledger, seen, told', async () => {
    const { acme } = world;
    const id = await world.create({ text: 'The first post', firstComment: 'More in the report' });
    await acme.call('svc_submit_content_for_approval', { contentPostId: id });
    const scheduledAt = new Date(world.now() + HOUR).toISOString();
    const approved = await acme.call('svc_approve_content_post', { contentPostId: id, scheduledAt });
    expect(approved).to.include({ state: 'scheduled', approved: true, scheduledAt });
    await world.play();
    expect(await world.posted()).to.deep.equal([]);
    world.advance(HOUR);
    await world.play();
    const online = await world.get(id);
    expect(online).to.include({ state: 'published', failure: null, verifiedAt: null });
    await world.pass(3 * MINUTE, MINUTE);
    const seen = await world.get(id);
    expect(seen.verifiedAt).to.be.a('string');
    expect(seen.firstCommentPublishedAt).to.be.a('string');
    expect((await world.posted()).map((one) => one.text)).to.deep.equal(['The first post']);
    expect(await world.comments()).to.deep.equal(['More in the report']);
    expect(await world.told(id)).to.deep.equal(['content.submitted', 'content.approved', 'content.published']);
  });

  /** A post that goes out now, through an account of its own. @returns its id */
  async function going(input: object = {}): Promise<string> {
    const networkAccountId = await world.tools.account('acme');
    const unpaced = `pacing = '{"minGapSeconds": 0, "maxGapSeconds": 0}'`;
    await world.tools.force(`update network_account set ${unpaced} where id = $1`, [networkAccountId]);
    const text = `A post of ${networkAccountId} that says what we learned of it, in as many words as there are.`;
    const contentPostId = await world.create({ text, networkAccountId, ...input });
    await world.acme.call('svc_publish_content_post', { contentPostId });
    return contentPostId;
  }
  const copies = async (contentPostId: string): Promise<number> => {
    const { text } = (await world.get(contentPostId)) as unknown as { text: string };
    return (await world.posted()).filter((one) => one.text === text).length;
  };

  it('C1: a lost answer is looked up among own posts, never sent again', async () => {
    await world.control('faults', [{ action: 'post', kind: 'lost_answer', rate: 1 }]);
    const id = await going();
    await world.play();
    expect(await world.get(id)).to.include({ state: 'published', failure: null });
    expect(await copies(id)).to.equal(1);
  });

  it('C1: what never arrived is published after two look-ups that agree', async () => {
    await world.control('faults', [{ action: 'post', kind: 'error', rate: 1 }]);
    const id = await going();
    await world.handle.engine.actions.round();
    await world.handle.engine.settle();
    expect(await world.get(id)).to.include({ state: 'scheduled', publishing: true });
    await world.control('faults', []);
    await world.pass(20 * MINUTE, 5 * MINUTE);
    expect(await world.get(id)).to.include({ state: 'published' });
    expect(await copies(id)).to.equal(1);
  });

  it('C1: after a restored backup, which knows of no publication, neither the post nor its comment goes out twice', async () => {
    const contentPostId = await going({ firstComment: 'Once below it' });
    const { text } = (await world.get(contentPostId)) as unknown as { text: string };
    const [row] = await world.tools.rows<{ externalId: string }>(
      `select a.external_id as "externalId" from content_post p join network_account a on a.id = p.account_id where p.id = $1`,
      [contentPostId],
    );
    // What the executor did after the backup was taken.
    const account = { externalId: row?.externalId ?? '' };
    const network = world.handle.deps.providers('unipile') as NetworkProvider;
    const done = await network.publishPost?.(account, { text, files: [] });
    const comment = { providerId: '', publicId: '', postId: done?.ref ?? '', text: 'Once below it' };
    await network.perform(account, { kind: 'comment', ...comment });
    await world.play();
    const after = (await world.get(contentPostId)) as unknown as { state: string; externalUrl: string };
    expect(after).to.deep.include({ state: 'published', failure: null });
    expect(after.externalUrl).to.contain(done?.ref);
    expect(await copies(contentPostId)).to.equal(1);
    expect((await world.comments()).filter((one) => one === 'Once below it')).to.have.length(1);
  });

  it('a restored ledger that thinks a post is still to go out is known by the post: the account waits for a reconciliation', async () => {
    const networkAccountId = await world.tools.account('acme');
    const text = `Restored ${networkAccountId}, in as many words as there are in a post.`;
    const contentPostId = await world.create({ text, networkAccountId });
    const scheduledAt = new Date(world.now() + MINUTE).toISOString();
    await world.acme.call('svc_schedule_content_post', { contentPostId, scheduledAt });
    const [row] = await world.tools.rows<{ externalId: string }>(
      `select external_id as "externalId" from network_account where id = $1`,
      [networkAccountId],
    );
    const account = { id: networkAccountId, externalId: row?.externalId ?? '', since: world.now() - HOUR };
    const network = world.handle.deps.providers('unipile') as NetworkProvider;
    const lacking = async (): Promise<{ ref: string; ours: boolean }[]> => {
      const { claim } = world.handle.deps;
      const shown = await readLackingSends((work) => claim.tx(work), network, account, { read: new TracesRead() });
      const found = await claim.tx((tx) => lackingTraces(tx, networkAccountId, shown.lacking));
      return found.map(({ trace, ours }) => ({ ref: trace.ref, ours }));
    };
    world.advance(MINUTE);
    const byHand = await network.publishPost?.(account, { text: 'By hand', files: [] });
    const done = await network.publishPost?.(account, { text, files: [] });
    expect(await lacking()).to.have.deep.members([
      { ref: byHand?.ref, ours: false },
      { ref: done?.ref, ours: true },
    ]);
    await world.play();
    expect(await world.get(contentPostId)).to.include({ state: 'published' });
    expect(await lacking(), 'found, and not published again').to.deep.equal([{ ref: byHand?.ref, ours: false }]);
    expect(await copies(contentPostId)).to.equal(1);
  });

  it('C8: what is on its way is neither changed, withdrawn, deleted nor published again', async () => {
    await world.control('faults', [{ action: 'post', kind: 'lost_answer', rate: 1 }]);
    const contentPostId = await going();
    await world.handle.engine.actions.round();
    await world.handle.engine.settle();
    for (const [tool, input] of [
      ['svc_update_content_post', { text: 'Other' }],
      ['svc_unschedule_content_post', {}],
      ['svc_delete_content_post', {}],
      ['svc_schedule_content_post', { scheduledAt: new Date(world.now() + HOUR).toISOString() }],
    ] as const)
      expect(await world.acme.refusal(tool, { contentPostId, ...input }), tool).to.match(/publishing right now/);
    await world.control('faults', []);
    await world.play();
    expect(await copies(contentPostId)).to.equal(1);
  });

  it('C1: a first comment that fails never publishes the post again; retried, it alone goes out', async () => {
    await world.control('faults', [{ action: 'comment', kind: 'error', rate: 1 }]);
    const contentPostId = await going({ firstComment: 'Only once' });
    await world.play();
    await world.pass(2 * HOUR, 10 * MINUTE);
    const post = await world.get(contentPostId);
    expect(post).to.include({ state: 'published' });
    expect(post.failure).to.include({ part: 'comment', outcomeKnown: true });
    await world.control('faults', []);
    expect(await world.acme.call('svc_retry_content_post', { contentPostId })).to.include({ state: 'published' });
    await world.play();
    const after = await world.get(contentPostId);
    expect(after.failure).to.equal(null);
    expect((await world.comments()).filter((one) => one === 'Only once')).to.have.length(1);
    expect(await copies(contentPostId)).to.equal(1);
  });

  it('C2: confirmed and not there is a failure that is told, after the third look', async () => {
    await world.control('posts', { vanish: true });
    const id = await going();
    await world.play();
    await world.pass(10 * MINUTE, MINUTE);
    expect((await world.get(id)).failure).to.equal(null);
    await world.pass(10 * MINUTE, MINUTE);
    expect(await world.get(id)).to.include({ state: 'published', verifiedAt: null });
    expect((await world.get(id)).failure).to.include({ code: 'absent' });
    expect(await world.told(id)).to.deep.equal(['content.failed']);
  });

  it('C2: nobody looks through an account that is paused or away, and none waits for it beyond the last look', async () => {
    const networkAccountId = await world.tools.account('acme');
    const id = await world.create({ networkAccountId });
    await world.acme.call('svc_publish_content_post', { contentPostId: id });
    await world.play();
    const looks = async (): Promise<{ ended?: string; away?: string } | undefined> =>
      (
        await world.tools.rows<{ result: { ended?: string; away?: string } }>(
          'select result from scheduled_run where schedule_id = $1 order by due_at desc limit 1',
          [id],
        )
      )[0]?.result;
    await world.tools.force('update network_account set paused = true where id = $1', [networkAccountId]);
    await world.pass(HOUR, 20 * MINUTE);
    expect(await world.get(id)).to.include({ verifiedAt: null, failure: null });
    expect(await looks()).to.include({ away: 'its account is paused' });
    await world.pass(31 * 24 * HOUR, 31 * 24 * HOUR);
    expect((await looks())?.ended).to.equal('nobody could look until the last time: its account is paused');
  });

  it('C2: shorter than it was sent is a failure that is told', async () => {
    await world.control('posts', { truncateAt: 60 });
    const id = await going();
    await world.play();
    await world.pass(3 * MINUTE, MINUTE);
    expect((await world.get(id)).failure).to.include({ code: 'truncated' });
    expect(await world.told(id)).to.deep.equal(['content.failed']);
  });

  it('C4: a refusal as a duplicate of what we sent is found; one of a ghost is a failure, and nobody loops', async () => {
    await world.control('posts', { ghosts: 100 });
    const ghost = await going();
    await world.play();
    expect((await world.get(ghost)).failure).to.include({ code: 'duplicate_post', outcomeKnown: true });
    expect(await copies(ghost)).to.equal(0);
    await world.control('posts', { refuseDuplicates: true, unlisted: true });
    await world.control('faults', [{ action: 'post', kind: 'lost_answer', rate: 1 }]);
    const ours = await going();
    await world.handle.engine.actions.round();
    await world.handle.engine.settle();
    // Somebody says that it did not arrive, and asks again: the network knows better.
    await world.tools.force(
      `update send set dead_letter_at = 1, dead_letter_state = 'open' where action_id in (select action_id from content_post where id = $1)`,
      [ours],
    );
    await world.tools.mcp.platform((tx) =>
      tx.exec(
        `select app.resolve_send(a.send_id, 'mark_not_done', $2, 'admin', 'a test')
         from action a join content_post p on p.action_id = a.id where p.id = $1`,
        [ours, world.now()],
      ),
    );
    expect((await world.get(ours)).failure).to.not.equal(null);
    await world.control('faults', []);
    await world.acme.call('svc_retry_content_post', { contentPostId: ours });
    await world.play();
    expect(await world.get(ours)).to.include({ state: 'published', failure: null });
    expect(await copies(ours)).to.equal(1);
  });

  it('C6: an outage leaves no burst: what is late goes out one post an hour, what is too late is missed', async () => {
    const networkAccountId = await world.tools.account('acme');
    await world.tools.force(
      `update network_account set business_hours = '{"days":[1,2,3,4,5,6,7],"startHour":0,"endHour":24,"timezoneMode":"account"}' where id = $1`,
      [networkAccountId],
    );
    const start = world.now() + HOUR;
    const ids: string[] = [];
    for (const late of [0, 2, 3]) {
      const id = await world.create({ networkAccountId });
      await world.acme.call('svc_schedule_content_post', {
        contentPostId: id,
        scheduledAt: new Date(start + late * HOUR).toISOString(),
      });
      ids.push(id);
    }
    // Nobody was there for seven hours.
    world.at(start + 7 * HOUR);
    await world.play();
    const [first, second, third] = await Promise.all(ids.map((id) => world.get(id)));
    expect(first?.failure).to.include({ code: 'missed' });
    expect([second?.state, third?.state]).to.have.members(['published', 'scheduled']);
    await world.pass(70 * MINUTE, 10 * MINUTE);
    const times = (await world.posted())
      .filter((one) => one.accountId === networkAccountId)
      .map((one) => Date.parse(one.at));
    expect(times).to.have.length(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).to.be.at.least(HOUR);
  });

  it('a freeze of content keeps posts back, and nothing else', async () => {
    await world.tools.force(
      `insert into send_freeze (id, scope, target, channel, reason, frozen_by, since) values (gen_random_uuid(), 'workspace', 'acme', 'content', 'a test', 'test', 1)`,
    );
    const id = await going();
    await world.play();
    expect(await world.get(id)).to.include({ state: 'scheduled', waitReason: 'send_freeze' });
    await world.tools.force('delete from send_freeze');
    await world.pass(20 * MINUTE, 5 * MINUTE);
    expect(await world.get(id)).to.include({ state: 'published' });
  });
});
