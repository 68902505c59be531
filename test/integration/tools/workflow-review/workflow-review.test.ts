import { expect } from 'chai';
import { type McpFixture, MONDAY, missing, NOBODY, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';

interface Item {
  reviewItemId: string;
  body: string;
  originalBody: string | null;
  subject: string | null;
  state: string;
  version: number;
  reason: string | null;
  decidedBy: string | null;
}
interface Page {
  reviewItems: Item[];
  pendingCount: number;
  nextCursor: string | null;
}

const QUEUE = 400;
const HOUR = 3_600_000;

describe('tools: workflow review, by an MCP client', () => {
  let fixture: McpFixture;
  let workflowId: string;
  let runs: string[];
  let next = 0;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(QUEUE + 40);
    await fixture.tools.rows(`update network_account set tier = 'premium' where id = $1`, [fixture.accountId]);
    workflowId = await fixture.workflow();
    runs = await fixture.started(workflowId, fixture.leads);
  });
  after(() => fixture.tools.stop());

  /** Drafts of so many leads that wait for a person. @returns their ids */
  const drafts = async (count: number, more: { expiresAt?: number; channel?: string } = {}): Promise<string[]> => {
    next += count;
    const of = runs.slice(next - count, next);
    const rows = await fixture.tools.rows<{ id: string }>(
      `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, account_id, node_id, send_node_id, channel, body, original_body, created_at, expires_at)
       select gen_random_uuid(), r.workspace_id, r.workflow_id, r.campaign_id, r.id, r.lead_id, $2, 'connect', 'connect', $3, 'Hello', 'Hello', $4, $5
       from run r where r.id = any ($1::uuid[]) returning id`,
      [of, fixture.accountId, more.channel ?? 'note', MONDAY, more.expiresAt ?? MONDAY + 72 * HOUR],
    );
    await fixture.tools.rows(
      `update run set state = 'in_review', wait_reason = 'review', node_id = 'connect', due_at = $2 where id = any ($1::uuid[])`,
      [of, MONDAY + 72 * HOUR],
    );
    return rows.map((row) => row.id);
  };
  const draft = async (more = {}): Promise<string> => (await drafts(1, more))[0] ?? '';
  const read = async (reviewItemId: string): Promise<Item> =>
    (await fixture.acme.call<{ reviewItem: Item }>('svc_get_review_item', { reviewItemId })).reviewItem;
  const dueOf = async (reviewItemId: string): Promise<number | undefined> =>
    (
      await fixture.tools.rows<{ due_at: number }>(
        'select r.due_at from run r join review_item i on i.run_id = r.id where i.id = $1',
        [reviewItemId],
      )
    )[0]?.due_at;
  const suppress = (reviewItemId: string): Promise<unknown> =>
    fixture.tools.rows(
      `insert into suppression (id, workspace_id, level, kind, value, person_id, source, created_at)
       select gen_random_uuid(), 'acme', 'workspace', 'person', r.person_id::text, r.person_id, 'unsubscribe', 1
       from run r join review_item i on i.run_id = r.id where i.id = $1`,
      [reviewItemId],
    );
  const absent = async (name: string, more: object = {}): Promise<void> => {
    const mine = await draft();
    for (const [user, id] of [
      [fixture.acme, NOBODY],
      [fixture.rival, mine],
    ] as const) {
      expect(await user.refusal(name, { reviewItemId: id, ...more })).to.equal(
        missing('Review item', id, 'svc_list_review_items'),
      );
    }
  };
  /** What every decision refuses. */
  const undecidable = async (name: string, more: object = {}): Promise<void> => {
    const done = await draft();
    await fixture.acme.call('svc_reject_review_item', { reviewItemId: done, reason: 'no' });
    expect(await fixture.acme.refusal(name, { reviewItemId: done, ...more })).to.equal(
      `Review item "${done}" is rejected already. Call svc_list_review_items.`,
    );
    const late = await draft({ expiresAt: MONDAY - 1 });
    const [expired] = await fixture.tools.rows<{ run_id: string }>('select run_id from review_item where id = $1', [
      late,
    ]);
    expect(await fixture.acme.refusal(name, { reviewItemId: late, ...more })).to.equal(
      `Review item "${late}" has expired (svc_list_review_items tells those that wait); action "resume" takes up run "${expired?.run_id}" with a new draft, if that stopped it. Call svc_control_workflow_runs.`,
    );
    const replied = await draft();
    await fixture.tools.rows(`update review_item set state = 'cancelled', reason = 'the lead replied' where id = $1`, [
      replied,
    ]);
    expect(await fixture.acme.refusal(name, { reviewItemId: replied, ...more })).to.equal(
      `Review item "${replied}" is cancelled already. Call svc_list_review_items.`,
    );
  };

  describe('svc_bulk_decide_review_items', () => {
    it('a queue of 400 is decided in pages, each draft on its own: what could not be is named, the rest is done', async () => {
      const ids = await drafts(QUEUE);
      const [suppressed = '', decided = ''] = ids;
      await suppress(suppressed);
      await fixture.acme.call('svc_reject_review_item', { reviewItemId: decided, reason: 'no' });
      let done = 0;
      const failed: { reviewItemId: string; message: string }[] = [];
      for (let at = 0; at < QUEUE; at += 100) {
        const answer = await fixture.acme.call<{ decided: number; failed: typeof failed }>(
          'svc_bulk_decide_review_items',
          {
            reviewItemIds: ids.slice(at, at + 100),
            decision: 'approve',
          },
        );
        done += answer.decided;
        failed.push(...answer.failed);
      }
      expect(done).to.equal(QUEUE - 2);
      expect(failed.map((one) => one.reviewItemId)).to.have.members([suppressed, decided]);
      const states = await fixture.tools.rows<{ state: string; n: number }>(
        'select state, count(*)::int as n from review_item where id = any ($1::uuid[]) group by 1 order by 1',
        [ids],
      );
      expect(states).to.deep.equal([
        { state: 'approved', n: QUEUE - 2 },
        { state: 'pending', n: 1 },
        { state: 'rejected', n: 1 },
      ]);
      await fixture.acme.call('svc_reject_review_item', { reviewItemId: suppressed, reason: 'suppressed' });
    }).timeout(60_000);

    it('a draft that another call holds up again and again is one that failed', async () => {
      const [first = '', met = '', last = ''] = await drafts(3);
      await fixture.tools.force(`create function outrider.meet() returns trigger language plpgsql as $$
        begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`);
      await fixture.tools.force(`create trigger meet before update on outrider.review_item for each row
        when (new.id = '${met}') execute function outrider.meet()`);
      const answer = await fixture.acme.call<{ decided: number; failed: { reviewItemId: string; message: string }[] }>(
        'svc_bulk_decide_review_items',
        { reviewItemIds: [first, met, last], decision: 'reject' },
      );
      await fixture.tools.force('drop function outrider.meet cascade');
      expect(answer.decided).to.equal(2);
      expect(answer.failed.map((one) => one.reviewItemId)).to.deep.equal([met]);
      expect(answer.failed[0]?.message).to.match(/met another change.*Call svc_list_review_items/);
      expect((await read(met)).state).to.equal('pending');
    });

    it('a draft that is missing or foreign is one that failed', async () => {
      const mine = await draft();
      const answer = await fixture.rival.call<{ decided: number; failed: { message: string }[] }>(
        'svc_bulk_decide_review_items',
        { reviewItemIds: [mine, NOBODY], decision: 'reject', reason: 'x' },
      );
      expect(answer.decided).to.equal(0);
      expect(answer.failed.map((one) => one.message)).to.deep.equal(
        [mine, NOBODY].map((id) => missing('Review item', id, 'svc_list_review_items')),
      );
      expect((await read(mine)).state).to.equal('pending');
    });
  });

  describe('svc_list_review_items', () => {
    it('oldest deadline first, in pages; counts what waits', async () => {
      const late = await draft({ expiresAt: MONDAY + 70 * HOUR });
      const soon = await draft({ expiresAt: MONDAY + HOUR });
      const page = await fixture.acme.call<Page>('svc_list_review_items', { workflowId, limit: 1 });
      expect(page.reviewItems.map((item) => item.reviewItemId)).to.deep.equal([soon]);
      const all: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const one: Page = await fixture.acme.call('svc_list_review_items', { limit: 2, ...(cursor ? { cursor } : {}) });
        all.push(...one.reviewItems.map((item) => item.reviewItemId));
        cursor = one.nextCursor;
        if (cursor === null) break;
      }
      expect(all.length).to.equal(page.pendingCount);
      expect(all.indexOf(late)).to.be.greaterThan(all.indexOf(soon));
      expect((await fixture.rival.call<Page>('svc_list_review_items')).pendingCount).to.equal(0);
    });

    it('says whom each is for, who sends it and when at the earliest; the text once', async () => {
      const id = await draft({ expiresAt: MONDAY + HOUR / 2 });
      // Monday 10:00 UTC is before the hours of somebody in New York (9 to 18), whose zone decides.
      await fixture.tools.rows(
        `update lead set timezone = 'America/New_York' where id = (select lead_id from review_item where id = $1)`,
        [id],
      );
      await fixture.tools.rows(`update network_account set display_name = 'Sally' where id = $1`, [fixture.accountId]);
      const [item] = (await fixture.acme.call<Page>('svc_list_review_items', { limit: 1 })).reviewItems;
      expect(item).to.include({ reviewItemId: id, body: 'Hello', sender: 'Sally', earliestAt: '2026-03-02T14:00:00Z' });
      expect(item).to.include.keys('leadName', 'company', 'expiresAt');
      expect(item).to.not.have.any.keys('originalBody', 'facts', 'runId');
      expect(await read(id)).to.include({ originalBody: null, earliestAt: '2026-03-02T14:00:00.000Z' });
      // A zone that nobody told is that of the place, as when it is sent.
      await fixture.tools.rows(
        `update lead set timezone = null, location = 'New York, NY' where id = (select lead_id from review_item where id = $1)`,
        [id],
      );
      expect(await read(id)).to.include({ earliestAt: '2026-03-02T14:00:00.000Z' });
    });

    it('refuses a workflow and a campaign that are not there', async () => {
      expect(await fixture.acme.refusal('svc_list_review_items', { workflowId: NOBODY })).to.equal(
        missing('Workflow', NOBODY, 'svc_list_workflows'),
      );
      expect(await fixture.acme.refusal('svc_list_review_items', { campaignId: NOBODY })).to.equal(
        missing('Campaign', NOBODY, 'svc_list_campaigns'),
      );
    });
  });

  describe('svc_get_review_item', () => {
    it('shows draft, lead and the conversation so far', async () => {
      const reviewItemId = await draft();
      const answer = await fixture.acme.call<{ reviewItem: Item; lead: { fullName: string }; conversation: object[] }>(
        'svc_get_review_item',
        { reviewItemId },
      );
      expect(answer.reviewItem).to.deep.include({ reviewItemId, body: 'Hello', state: 'pending', version: 1 });
      expect(answer.lead.fullName).to.match(/^Lead\d+ Person\d+$/);
      expect(answer.conversation).to.deep.equal([]);
    });

    it('answers a missing and a foreign item alike', () => absent('svc_get_review_item'));
  });

  describe('svc_approve_review_item', () => {
    it('approves as it stands and lets the run act now', async () => {
      const reviewItemId = await draft();
      const answer = await fixture.acme.call('svc_approve_review_item', { reviewItemId, expectedVersion: 1 });
      expect(answer).to.deep.equal({ reviewItemId, state: 'approved', sendAfter: new Date(MONDAY).toISOString() });
      expect((await read(reviewItemId)).state).to.equal('approved');
      expect(await dueOf(reviewItemId)).to.equal(MONDAY);
    });

    it('refuses a draft that changed after it was read, and a suppressed recipient', async () => {
      const reviewItemId = await draft();
      await fixture.acme.call('svc_edit_review_item', { reviewItemId, body: 'Hi', approve: false });
      expect(await fixture.acme.refusal('svc_approve_review_item', { reviewItemId, expectedVersion: 1 })).to.equal(
        'The draft is at version 2, not 1. Call svc_get_review_item.',
      );
      await suppress(reviewItemId);
      expect(await fixture.acme.refusal('svc_approve_review_item', { reviewItemId })).to.match(
        /^The recipient is suppressed/,
      );
      expect((await read(reviewItemId)).state).to.equal('pending');
    });

    it('refuses what its channel does not take: it would be approved, and never sent', async () => {
      const [alone = '', among = '', fits = ''] = await drafts(3);
      await fixture.tools.rows('update review_item set body = $2 where id = any ($1::uuid[])', [
        [alone, among],
        'x'.repeat(301),
      ]);
      const refusal = 'Invalid input: body: 301 characters, a note allows 300. Call svc_edit_review_item.';
      expect(await fixture.acme.refusal('svc_approve_review_item', { reviewItemId: alone })).to.equal(refusal);
      const many = { reviewItemIds: [among, fits], decision: 'approve' };
      expect(await fixture.acme.call('svc_bulk_decide_review_items', many)).to.deep.equal({
        decided: 1,
        failed: [{ reviewItemId: among, message: refusal }],
      });
      expect((await read(alone)).state).to.equal('pending');
    });

    it('refuses what is decided, expired or answered', () => undecidable('svc_approve_review_item'));
    it('answers a missing and a foreign item alike', () => absent('svc_approve_review_item'));
  });

  describe('svc_edit_review_item', () => {
    it('replaces the text, keeps the original, and approves unless told otherwise', async () => {
      const [kept = '', sent = ''] = await drafts(2);
      await fixture.acme.call('svc_edit_review_item', { reviewItemId: kept, body: 'Hi there', approve: false });
      expect(await read(kept)).to.deep.include({
        body: 'Hi there',
        originalBody: 'Hello',
        state: 'pending',
        version: 2,
      });
      const answer = await fixture.acme.call('svc_edit_review_item', { reviewItemId: sent, body: 'Hi there' });
      expect(answer).to.deep.include({ state: 'approved', version: 2 });
    });

    it('what is shown as the subject is what is sent: one line, never blank, and only where there is one', async () => {
      const mail = await draft({ channel: 'mail' });
      const edit = { reviewItemId: mail, body: 'Hi', approve: false };
      for (const subject of ['', ' \n '])
        expect(await fixture.acme.refusal('svc_edit_review_item', { ...edit, subject })).to.equal(
          'Invalid input: subject: must not be blank; leave it out to keep it',
        );
      await fixture.acme.call('svc_edit_review_item', { ...edit, subject: ' Two\nlines ' });
      expect(await read(mail)).to.include({ subject: 'Two lines' });
      expect(
        await fixture.acme.refusal('svc_edit_review_item', {
          reviewItemId: await draft(),
          body: 'Hi',
          subject: 'Hello',
        }),
      ).to.equal('Invalid input: subject: a note has none');
    });

    it('refuses what is longer than the channel allows', async () => {
      for (const [channel, longest] of [
        ['note', 300],
        ['inmail', 1_900],
        ['comment', 1_250],
      ] as const) {
        const reviewItemId = await draft({ channel });
        expect(
          await fixture.acme.refusal('svc_edit_review_item', { reviewItemId, body: 'x'.repeat(longest + 1) }),
        ).to.equal(
          `Invalid input: body: ${longest + 1} characters, a ${channel} allows ${longest}. Call svc_get_review_item.`,
        );
        await fixture.acme.call('svc_edit_review_item', { reviewItemId, body: 'x'.repeat(longest) });
      }
      const message = await draft({ channel: 'message' });
      const body = 'x'.repeat(8_000);
      const answer = await fixture.acme.call('svc_edit_review_item', { reviewItemId: message, body });
      expect(answer, 'what its node takes').to.deep.include({ state: 'approved' });
    });

    it('refuses what the network takes from no account of its tier', async () => {
      const reviewItemId = await draft();
      await fixture.tools.rows(`update network_account set tier = 'basic' where id = $1`, [fixture.accountId]);
      const edit = (length: number): object => ({ reviewItemId, body: 'x'.repeat(length), approve: false });
      const refused = await fixture.acme.refusal('svc_edit_review_item', edit(201));
      await fixture.acme.call('svc_edit_review_item', edit(200));
      await fixture.tools.rows(`update network_account set tier = 'premium' where id = $1`, [fixture.accountId]);
      expect(refused).to.equal(
        'Invalid input: body: 201 characters, a note allows 200 through this account. Call svc_get_review_item.',
      );
    });

    it('refuses to take the subject away: a mail or an InMail would go out without one', async () => {
      for (const channel of ['mail', 'inmail']) {
        const reviewItemId = await draft({ channel });
        for (const subject of ['', ' \n']) {
          expect(await fixture.acme.refusal('svc_edit_review_item', { reviewItemId, body: 'Hi', subject })).to.match(
            /^Invalid input: subject: must not be blank/,
          );
        }
        expect((await read(reviewItemId)).state).to.equal('pending');
        await fixture.acme.call('svc_edit_review_item', { reviewItemId, body: 'Hi', subject: 'News\nfor you' });
        expect((await read(reviewItemId)).subject, 'one line').to.equal('News for you');
      }
    });

    it('refuses what is decided, expired or answered', () => undecidable('svc_edit_review_item', { body: 'x' }));
    it('answers a missing and a foreign item alike', () => absent('svc_edit_review_item', { body: 'x' }));
  });

  describe('svc_reject_review_item', () => {
    it('keeps the reason and what becomes of the lead', async () => {
      const reviewItemId = await draft();
      const rejected = Object.fromEntries([
        ['reviewItemId', reviewItemId],
        ['reason', 'too pushy'],
        ['then', 'stop_lead'],
      ]);
      await fixture.acme.call('svc_reject_review_item', rejected);
      expect(await read(reviewItemId)).to.deep.include({ state: 'rejected', reason: 'too pushy' });
      const [row] = await fixture.tools.rows<{ on_reject: string }>('select on_reject from review_item where id = $1', [
        reviewItemId,
      ]);
      expect(row?.on_reject).to.equal('stop_lead');
      expect(await dueOf(reviewItemId)).to.equal(MONDAY);
    });

    it('refuses a text that was changed after it was read', async () => {
      const reviewItemId = await draft();
      await fixture.acme.call('svc_edit_review_item', { reviewItemId, body: 'Another text', approve: false });
      const input = { reviewItemId, reason: 'too pushy', expectedVersion: 1 };
      expect(await fixture.acme.refusal('svc_reject_review_item', input)).to.equal(
        'The draft is at version 2, not 1. Call svc_get_review_item.',
      );
      expect(await read(reviewItemId)).to.deep.include({ state: 'pending' });
      await fixture.acme.call('svc_reject_review_item', { ...input, expectedVersion: 2 });
      expect(await read(reviewItemId)).to.deep.include({ state: 'rejected' });
    });

    it('refuses what is decided, expired or answered', () => undecidable('svc_reject_review_item', { reason: 'x' }));
    it('answers a missing and a foreign item alike', () => absent('svc_reject_review_item', { reason: 'x' }));
  });
});
