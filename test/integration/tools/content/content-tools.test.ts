import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { followClocks } from '../../../../pkg/controllers/content-clocks.ts';
import {
  type ContentWorld,
  DAY,
  HOUR,
  MINUTE,
  MONDAY,
  openContentWorld,
} from '../../../fixtures/content/content-world.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';

const at = (time: number): string => new Date(time).toISOString();

describe('tools: content, by an MCP client', function () {
  this.timeout(120_000);
  let world: ContentWorld;
  let acme: ToolUser;
  let author: ToolUser;
  let approver: ToolUser;
  before(async () => {
    world = await openContentWorld();
    acme = world.acme;
    author = await world.tools.as({ memberOf: ['acme'] });
    approver = await world.tools.as({ memberOf: ['acme'] });
  });
  after(() => world.stop());
  beforeEach(() => {
    world.at(Math.max(world.now(), MONDAY) + MINUTE);
  });

  const demand = (contentApprovalRequired: boolean): Promise<unknown> =>
    world.tools.force(`update workspace set settings = settings || $1 where id = 'acme'`, [
      JSON.stringify({ contentApprovalRequired }),
    ]);
  const written = async (input: object = {}, user = author): Promise<string> => {
    const text = `A post ${Math.random()}`;
    const account = { networkAccountId: world.accountId };
    const made = await user.call<{ contentPostId: string }>('svc_create_content_post', {
      workspaceId: 'acme',
      text,
      ...account,
      ...input,
    });
    return made.contentPostId;
  };
  const submitted = async (input: object = {}): Promise<string> => {
    const contentPostId = await written(input);
    await author.call('svc_submit_content_for_approval', { contentPostId });
    return contentPostId;
  };

  describe('svc_create_content_post', () => {
    it('shows what others will see: first lines, the card of a link, the length as the network counts', async () => {
      const text = `One 👩‍👩‍👧\n#Two https://firm.example/a.\n${'three '.repeat(50)}`;
      const made = await acme.call<{ state: string; preview: Record<string, unknown> }>('svc_create_content_post', {
        text,
      });
      expect(made.state).to.equal('draft');
      expect(made.preview).to.deep.include({
        length: text.length,
        limit: 3_000,
        seeMore: true,
        linkCard: 'https://firm.example/a',
        hashtags: ['#Two'],
      });
    });

    it('warns of the same words and of a post within an hour (C4)', async () => {
      const first = await written({ text: 'The same words' });
      const time = world.now() + 2 * DAY;
      await acme.call('svc_schedule_content_post', { contentPostId: first, scheduledAt: at(time) });
      const second = await acme.call<{ warnings: string[] }>('svc_create_content_post', {
        text: 'the  same words',
        networkAccountId: world.accountId,
        scheduledAt: at(time + 30 * MINUTE),
      });
      expect(second.warnings.join(' '))
        .to.match(/says the same/)
        .and.to.match(/within an hour/);
    });

    it('takes no address that is never fetched, and no text of blanks', async () => {
      const blank = { networkAccountId: world.accountId, text: ' \n ' };
      expect(await acme.refusal('svc_create_content_post', blank)).to.match(/text: must not be blank/);
      const plain = { text: 'x', mediaUrls: ['http://firm.example/a.png'] };
      expect(await acme.refusal('svc_create_content_post', plain)).to.match(/must be an https address/);
    });
  });

  describe('svc_update_content_post', () => {
    it('a new version of a post in review withdraws what was read; the same again changes nothing (C7)', async () => {
      const contentPostId = await submitted();
      const first = await author.call('svc_update_content_post', { contentPostId, text: 'Other words' });
      expect(first).to.include({ state: 'review', version: 2 });
      expect(await author.call('svc_update_content_post', { contentPostId, text: 'Other words' })).to.include({
        version: 2,
      });
      const old = { contentPostId, expectedVersion: 1 };
      expect(await approver.refusal('svc_approve_content_post', old)).to.match(/at version 2, not 1/);
    });

    it('takes accounts of its own workspace alone, whatever else the caller may see', async () => {
      const contentPostId = await written();
      const networkAccountId = await world.tools.account('rival');
      const both = await world.tools.as({ memberOf: ['acme', 'rival'] });
      const refused = await both.refusal('svc_update_content_post', { contentPostId, networkAccountId });
      expect(refused).to.match(/was not found/);
    });

    it('a moved wish keeps the approval, other words withdraw it (C7)', async () => {
      const contentPostId = await submitted();
      await approver.call('svc_approve_content_post', { contentPostId });
      await author.call('svc_update_content_post', { contentPostId, scheduledAt: at(world.now() + DAY) });
      expect(await world.get(contentPostId)).to.include({ approved: true, version: 1 });
      await author.call('svc_update_content_post', { contentPostId, firstComment: 'More' });
      expect(await world.get(contentPostId)).to.include({ approved: false, version: 2 });
    });
  });

  describe('svc_approve_content_post', () => {
    it('four eyes where the workspace demands them: neither who wrote nor who edited approves (C7)', async () => {
      await demand(true);
      try {
        const contentPostId = await submitted();
        expect(await author.refusal('svc_approve_content_post', { contentPostId })).to.match(/does not approve it/);
        await approver.call('svc_update_content_post', { contentPostId, text: 'Edited by the other' });
        expect(await approver.refusal('svc_approve_content_post', { contentPostId })).to.match(/does not approve it/);
        const third = await world.tools.as({ memberOf: ['acme'] });
        expect(await third.refusal('svc_approve_content_post', { contentPostId })).to.match(
          /at version 2: an edit in review leaves it in review, so read it and approve it with expectedVersion/,
        );
        const read = { contentPostId, expectedVersion: 2 };
        expect(await third.call('svc_approve_content_post', read)).to.include({ approved: true });
      } finally {
        await demand(false);
      }
    });

    it('a key counts as its maker, and that of one who has left approves nothing (C7)', async () => {
      await demand(true);
      try {
        const contentPostId = await submitted();
        const { plaintext } = await world.tools.mcp.key({ workspaceId: 'acme' });
        const keyUser = world.tools.user(await world.tools.mcp.client(plaintext));
        expect(await keyUser.refusal('svc_approve_content_post', { contentPostId })).to.match(
          /nobody stands behind this key|no member of the workspace any more/,
        );
        const [boss] = await world.tools.rows<{ id: string }>(
          `select m.user_id as id
           from member m
           join content_post p on p.id::text = $1
           where m.workspace_id = 'acme' and not m.user_id = any (p.authors)
           limit 1`,
          [contentPostId],
        );
        await world.tools.force('update api_key set created_by = $1 where key_type = $2', [boss?.id, 'workspace']);
        expect(await keyUser.call('svc_approve_content_post', { contentPostId })).to.include({ approved: true });
      } finally {
        await demand(false);
      }
    });

    it('a banned phrase blocks it', async () => {
      await acme.call('svc_update_brand_identity', { bannedPhrases: ['game changer'] });
      const contentPostId = await submitted({ text: 'A real Game  Changer'.replace('  ', ' ') });
      expect(await approver.refusal('svc_approve_content_post', { contentPostId })).to.match(
        /which the workspace never/,
      );
      await acme.call('svc_update_brand_identity', { bannedPhrases: [] });
      const said = await approver.call('svc_approve_content_post', { contentPostId });
      expect(said).to.include({ state: 'draft', approved: true, scheduledAt: null });
    });

    it('with a wish that lies ahead it is scheduled', async () => {
      const contentPostId = await submitted({ scheduledAt: at(world.now() + DAY) });
      const said = await approver.call('svc_approve_content_post', { contentPostId });
      expect(said).to.include({ state: 'scheduled', scheduledAt: at(world.now() + DAY) });
    });
  });

  describe('svc_submit_content_for_approval', () => {
    it('tells the members who were named', async () => {
      const contentPostId = await written();
      const { members } = await acme.call<{ members: { memberId: string }[] }>('svc_list_members');
      const reviewerIds = members.slice(0, 1).map((one) => one.memberId);
      await author.call('svc_submit_content_for_approval', { contentPostId, reviewerIds });
      const [event] = await world.tools.rows<{ data: { reviewers: string[] } }>(
        `select data from run_event where kind = 'content.submitted' and data ->> 'contentPostId' = $1`,
        [contentPostId],
      );
      expect(event?.data.reviewers).to.deep.equal(reviewerIds);
    });
  });

  describe('svc_reject_content_post', () => {
    it('goes back to draft with the reason', async () => {
      const contentPostId = await submitted();
      await approver.call('svc_reject_content_post', { contentPostId, reason: 'Too long' });
      const post = await world.get(contentPostId);
      expect(post).to.deep.include({ state: 'draft', approved: false });
      expect(post.approval?.reason).to.equal('Too long');
    });
  });

  describe('svc_schedule_content_post', () => {
    it('a local time in a gap is the first instant after it; an offset is an instant (C5)', async () => {
      const contentPostId = await written();
      const input = { contentPostId, scheduledAt: '2026-03-29T02:30:00', timezone: 'Europe/Berlin' };
      expect(await acme.call('svc_schedule_content_post', input)).to.include({
        scheduledAt: '2026-03-29T01:00:00.000Z',
        localTime: '2026-03-29T02:30',
        adjustedFrom: '2026-03-29T02:30',
      });
      const instant = { contentPostId, scheduledAt: '2026-03-29T02:30:00+01:00' };
      expect(await acme.call('svc_schedule_content_post', instant)).to.include({
        scheduledAt: '2026-03-29T01:30:00.000Z',
        localTime: null,
      });
    });

    it('a wall clock is followed when the zone of its account changes; an instant stays (C5)', async () => {
      const { db, clock } = world.tools.cluster;
      const account = await world.tools.account('acme');
      const local = await written({ networkAccountId: account });
      const instant = await written({ networkAccountId: account });
      await acme.call('svc_schedule_content_post', { contentPostId: local, scheduledAt: '2026-05-05T09:00:00' });
      await acme.call('svc_schedule_content_post', { contentPostId: instant, scheduledAt: '2026-05-06T09:00:00Z' });
      await world.tools.force(`update network_account set timezone = 'America/New_York' where id = $1`, [account]);
      await followClocks({ db, clocks: { real: clock, product: clock } } as never);
      await followClocks({ db, clocks: { real: clock, product: clock } } as never);
      expect(await world.get(local)).to.include({ scheduledAt: '2026-05-05T13:00:00.000Z' });
      expect(await world.get(instant)).to.include({ scheduledAt: '2026-05-06T09:00:00.000Z' });
      const [action] = await world.tools.rows<{ due: number }>(
        'select due_at as due from action where content_post_id = $1 and ended_at is null',
        [local],
      );
      expect(action?.due).to.equal(Date.UTC(2026, 4, 5, 13));
      const { history } = await acme.call<{ history: { kind: string }[] }>('svc_get_content_post', {
        contentPostId: local,
      });
      expect(history.filter((one) => one.kind === 'moved')).to.have.length(1);
    });

    it('needs the approval that the workspace demands', async () => {
      await demand(true);
      try {
        const input = { contentPostId: await written(), scheduledAt: at(world.now() + DAY) };
        expect(await acme.refusal('svc_schedule_content_post', input)).to.match(/has no approval/);
      } finally {
        await demand(false);
      }
    });

    it('an approval by its author counts no more once approvals are demanded: nothing is scheduled, nothing leaves (C7)', async () => {
      const contentPostId = await submitted({ text: 'Approved by its author' });
      await author.call('svc_approve_content_post', { contentPostId });
      await author.call('svc_schedule_content_post', { contentPostId, scheduledAt: at(world.now() + HOUR) });
      await demand(true);
      try {
        world.advance(HOUR + MINUTE);
        await world.play();
        expect((await world.get(contentPostId)).failure).to.include({ code: 'not_approved' });
        expect((await world.posted()).filter((one) => one.text === 'Approved by its author')).to.have.length(0);
        const input = { contentPostId, scheduledAt: at(world.now() + DAY) };
        expect(await acme.refusal('svc_schedule_content_post', input)).to.match(/has no approval/);
      } finally {
        await demand(false);
      }
    });
  });

  describe('svc_unschedule_content_post', () => {
    it('takes it back, keeps the approval, and nothing goes out', async () => {
      const contentPostId = await submitted({ scheduledAt: at(world.now() + HOUR) });
      await approver.call('svc_approve_content_post', { contentPostId });
      await acme.call('svc_unschedule_content_post', { contentPostId });
      world.advance(2 * HOUR);
      await world.play();
      expect(await world.get(contentPostId)).to.include({ state: 'draft', approved: true, publishedAt: null });
    });
  });

  describe('svc_publish_content_post', () => {
    it('publishes a draft at once; again it is refused, and never twice', async () => {
      const contentPostId = await written({ text: 'Out at once' });
      expect(await acme.call('svc_publish_content_post', { contentPostId })).to.include({ state: 'scheduled' });
      await world.play();
      expect(await world.get(contentPostId)).to.include({ state: 'published' });
      expect(await acme.refusal('svc_publish_content_post', { contentPostId })).to.match(/is published/);
      await world.play();
      expect((await world.posted()).filter((one) => one.text === 'Out at once')).to.have.length(1);
    });
  });

  describe('svc_duplicate_content_post', () => {
    it('makes a draft of a published post', async () => {
      const contentPostId = await written({ text: 'Copied' });
      await acme.call('svc_publish_content_post', { contentPostId });
      await world.play();
      const copy = await acme.call<{ contentPostId: string; state: string }>('svc_duplicate_content_post', {
        contentPostId,
      });
      expect(copy.state).to.equal('draft');
      expect(copy.contentPostId).to.not.equal(contentPostId);
    });
  });

  describe('svc_retry_content_post', () => {
    it('after a missed time it goes out once; the first comment alone is retried of one that is online', async () => {
      const contentPostId = await written({ text: 'Retried', scheduledAt: at(world.now() + HOUR), firstComment: 'c' });
      await acme.call('svc_schedule_content_post', { contentPostId, scheduledAt: at(world.now() + HOUR) });
      world.advance(8 * HOUR);
      await world.play();
      expect((await world.get(contentPostId)).failure).to.include({ code: 'missed', outcomeKnown: true });
      await acme.call('svc_retry_content_post', { contentPostId });
      await world.play();
      expect(await world.get(contentPostId)).to.include({ state: 'published', failure: null });
      expect((await world.posted()).filter((one) => one.text === 'Retried')).to.have.length(1);
    });

    it('a wall clock that is named for the next try keeps its zone (C5)', async () => {
      const { db, clock } = world.tools.cluster;
      const contentPostId = await written({ text: 'Another zone' });
      await acme.call('svc_schedule_content_post', { contentPostId, scheduledAt: at(world.now() + HOUR) });
      world.advance(8 * HOUR);
      await world.play();
      const local = { scheduledAt: '2026-06-01T09:00:00', timezone: 'America/New_York' };
      const retried = await acme.call('svc_retry_content_post', { contentPostId, ...local });
      expect(retried).to.include({ scheduledAt: '2026-06-01T13:00:00.000Z' });
      await followClocks({ db, clocks: { real: clock, product: clock } } as never);
      expect(await world.get(contentPostId)).to.include({
        scheduledAt: '2026-06-01T13:00:00.000Z',
        timezone: 'America/New_York',
      });
    });
  });

  describe('svc_delete_content_post', () => {
    it('is gone, and nothing goes out', async () => {
      const contentPostId = await written({ text: 'Deleted' });
      await acme.call('svc_schedule_content_post', { contentPostId, scheduledAt: at(world.now() + HOUR) });
      expect(await acme.call('svc_delete_content_post', { contentPostId })).to.include({ deleted: true });
      world.advance(2 * HOUR);
      await world.play();
      expect((await world.posted()).filter((one) => one.text === 'Deleted')).to.deep.equal([]);
      expect(await acme.refusal('svc_get_content_post', { contentPostId })).to.match(/was not found/);
    });
  });

  describe('svc_get_content_post', () => {
    it('tells its history', async () => {
      const contentPostId = await submitted();
      await approver.call('svc_approve_content_post', { contentPostId, comment: 'Good' });
      const { history } = await acme.call<{ history: { kind: string; text: string }[] }>('svc_get_content_post', {
        contentPostId,
      });
      expect(history.map((one) => one.kind)).to.deep.equal(['created', 'submitted', 'approved']);
      expect(history.at(-1)?.text).to.equal('Good');
    });
  });

  describe('svc_list_content_posts', () => {
    it('those that failed, and nobody else sees them', async () => {
      const contentPostId = await written();
      await world.tools.force(
        `update content_post set failure = '{"code":"x","message":"","attempts":1,"at":1,"outcomeKnown":true,"part":"post"}' where id = $1`,
        [contentPostId],
      );
      const { contentPosts } = await acme.call<{ contentPosts: { contentPostId: string }[] }>(
        'svc_list_content_posts',
        {
          failedOnly: true,
        },
      );
      expect(contentPosts.map((one) => one.contentPostId)).to.include(contentPostId);
      const rival = await world.tools.as({ workspace: 'rival' });
      expect(await rival.call('svc_list_content_posts')).to.deep.equal({ contentPosts: [], nextCursor: null });
    });
  });

  describe('svc_get_content_calendar', () => {
    it('shows clashes and days without a post', async () => {
      const day = Date.UTC(2026, 8, 10, 9);
      for (const time of [day, day + 20 * MINUTE])
        await acme.call('svc_schedule_content_post', { contentPostId: await written(), scheduledAt: at(time) });
      const { entries, emptyDays } = await acme.call<{ entries: { clash: boolean }[]; emptyDays: string[] }>(
        'svc_get_content_calendar',
        { fromDate: '2026-09-09T00:00:00Z', toDate: '2026-09-12T00:00:00Z' },
      );
      expect(entries.map((one) => one.clash)).to.deep.equal([true, true]);
      expect(emptyDays).to.deep.equal(['2026-09-09', '2026-09-11']);
    });
  });

  describe('svc_get_content_analytics', () => {
    it('keeps samples with the time of each, and joins leads by their provider id', async () => {
      // The account has posts left on another day.
      world.advance(DAY);
      const contentPostId = await written({ text: 'Measured' });
      await acme.call('svc_publish_content_post', { contentPostId });
      await world.play();
      await world.pass(2 * HOUR, 30 * MINUTE);
      const { posts } = await acme.call<{ posts: { reactions: number; asOf: string }[] }>('svc_get_content_analytics', {
        contentPostId,
      });
      expect(posts[0]).to.include({ reactions: 0, leadsEngaged: 0, leadsWon: 0 });
      expect(posts[0]?.asOf).to.match(/^2026-/);
    });

    it('of a shared account the leads of the post alone count, not those of the other workspace', async () => {
      const shared = await world.tools.account('acme', 'rival');
      const contentPostId = await written({ networkAccountId: shared });
      await world.tools.force(
        `update content_post set state = 'published', published_at = $2, social_id = $1::text where id = $1::uuid`,
        [contentPostId, world.now()],
      );
      const people = { acme: systemIds.uuid(), rival: systemIds.uuid() };
      for (const [workspace, person] of Object.entries(people)) {
        await world.tools.force('insert into person (id, created_at) values ($1, 1)', [person]);
        await world.tools.force(
          'insert into lead (id, workspace_id, person_id, created_at, updated_at) values ($1, $2, $1, 1, 1)',
          [person, workspace],
        );
        await world.tools.force(
          `insert into relation (account_id, person_id, provider_id, state) values ($1, $2, $3, 'connected')`,
          [shared, person, person],
        );
        await world.tools.force(
          `insert into content_engager (post_id, workspace_id, provider_id, seen_at) values ($1, 'acme', $2, 1)`,
          [contentPostId, person],
        );
      }
      const { posts } = await acme.call<{ posts: object[] }>('svc_get_content_analytics', { contentPostId });
      expect(posts[0]).to.include({ leadsEngaged: 1 });
    });
  });

  describe('svc_get_workspace_voice', () => {
    it('is empty where nobody told', async () => {
      const rival = await world.tools.as({ workspace: 'rival' });
      expect(await rival.call('svc_get_workspace_voice')).to.deep.include({ updatedAt: null });
    });
  });

  describe('svc_update_brand_identity', () => {
    it('changes what is given and clears what is empty', async () => {
      await acme.call('svc_update_brand_identity', { brandName: 'Acme', tagline: 'Calm', toneWords: ['exact'] });
      const said = await acme.call<{ brandIdentity: object; voice: object }>('svc_update_brand_identity', {
        tagline: '',
      });
      expect(said.brandIdentity).to.include({ brandName: 'Acme', tagline: '' });
      expect(said.voice).to.deep.include({ toneWords: ['exact'] });
    });
  });
});
