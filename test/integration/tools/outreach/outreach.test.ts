import { expect } from 'chai';
import { type EngineFixture, HOUR, startEngineFixture } from '../../../fixtures/stories/engine-fixture.ts';

interface Done {
  actionId: string | null;
  status: string;
  scheduledFor: string | null;
  deduplicated: boolean;
  budgetRemaining: number;
  detail: string | null;
}

const HOURS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

/** One stage for all: who is reached by hand, by tool and by workflow is one person to one network. */
describe('tools: outreach by hand, by an MCP client beside an executor', function () {
  this.timeout(60_000);
  let at: EngineFixture;
  before(async () => {
    at = await startEngineFixture();
    await at.tools.force(`update network_account set tier = 'sales' where id = $1`, [at.accountId]);
  });
  after(() => at.stop());

  const profileOf = (name: string): string => `https://www.linkedin.com/in/p-${name}`;
  const received = (name: string): string[] =>
    at.network.received.filter((one) => one.publicId === `p-${name}`).map((one) => one.kind);

  /** Calls while the executor works. */
  const call = (tool: string, input: object): Promise<Done> => at.during(at.acme.call<Done>(tool, input));

  describe('svc_send_connection_request', () => {
    const ask = (name: string, more: object = {}): Promise<Done> =>
      call('svc_send_connection_request', { profileUrl: profileOf(name), timing: 'now', ...more });

    it('asks once: a pending and an existing connection are reported, not repeated', async () => {
      const first = await ask('ada', { note: 'We met in Lyon.' });
      expect(first).to.include({ status: 'done', deduplicated: false });
      expect(await ask('ada')).to.include({ status: 'already_pending', deduplicated: true, actionId: null });
      at.network.connected.add('p-ada');
      await at.sync();
      expect(await ask('ada')).to.include({ status: 'already_connected', deduplicated: true });
      expect(received('ada')).to.deep.equal(['connection_request']);
    });

    it('O1: two calls at once are one row', async () => {
      const both = await Promise.all(
        ['Hello', 'Good day'].map((note) =>
          call('svc_send_connection_request', { profileUrl: profileOf('bob'), note }),
        ),
      );
      expect(new Set(both.map((one) => one.actionId)).size).to.equal(1);
      expect(both.map((one) => one.deduplicated).toSorted()).to.deep.equal([false, true]);
      await at.pass(HOUR);
      await at.pass(HOUR);
      expect(received('bob')).to.deep.equal(['connection_request']);
    });

    it('O1: beside a planned one of a workflow it is one request, and the run takes already_pending', async () => {
      const { campaignId } = await at.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Requests' });
      await at.acme.call('svc_update_campaign', { campaignId, businessHours: HOURS, reviewMode: 'off' });
      const graph = {
        nodes: [
          { nodeType: 'source:manual' },
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 24 * HOUR } },
          { nodeType: 'network:connection_request' },
          { nodeType: 'lead:tag', config: { add: ['asked'] } },
        ],
        edges: [
          { sourceIndex: 0, targetIndex: 1 },
          { sourceIndex: 1, targetIndex: 2 },
          { sourceIndex: 2, targetIndex: 3, branch: 'already_pending' },
        ],
      };
      const made = await at.acme.call<{ workflowId: string }>('svc_create_workflow', {
        campaignId,
        name: 'Ask',
        graph,
      });
      await at.acme.call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
      const lead = { profileUrl: profileOf('cleo'), firstName: 'Cleo' };
      const { leadId } = await at.acme.call<{ leadId: string }>('svc_upsert_lead', lead);
      await at.acme.call('svc_trigger_workflow', { workflowId: made.workflowId, leadIds: [leadId] });
      await at.pass(1_000);
      expect(await ask('cleo')).to.include({ status: 'done' });
      for (let day = 0; day < 3; day++) await at.pass(24 * HOUR);
      expect(received('cleo')).to.deep.equal(['connection_request']);
      const { lead: after } = await at.acme.call<{ lead: { tags: string[] } }>('svc_get_lead', { leadId });
      expect(after.tags).to.deep.equal(['asked']);
    });

    it('a note is as long as the tier of the account allows, and takes both budgets', async () => {
      await at.tools.force(`update account_budget set used = '{0,0,0,0,0,0,0}' where account_id = $1`, [at.accountId]);
      await at.tools.force(`update network_account set tier = 'basic' where id = $1`, [at.accountId]);
      const input = { profileUrl: profileOf('dina'), note: 'n'.repeat(201) };
      expect(await at.acme.refusal('svc_send_connection_request', input)).to.match(/^Invalid input: note: has 201/);
      await at.tools.force(`update network_account set tier = 'sales' where id = $1`, [at.accountId]);
      const both = { leadId: 'x', profileUrl: profileOf('dina') };
      expect(await at.acme.refusal('svc_send_connection_request', both)).to.match(
        /^Invalid input: leadId: give either/,
      );
    });
  });

  describe('svc_send_inmail', () => {
    it('writes to somebody outside the network, and an answer without credits says so', async () => {
      const input = { profileUrl: profileOf('emil'), subject: 'A talk', body: 'May I ask?', timing: 'now' };
      expect(await call('svc_send_inmail', input)).to.include({ status: 'done' });
      expect(received('emil')).to.deep.equal(['inmail']);
    });
  });

  describe('svc_like_post', () => {
    const post = (number: number): string =>
      `https://www.linkedin.com/feed/update/urn:li:activity:700000000000000000${number}`;
    const shown = { postedAt: 1, repost: false, canReact: true, canComment: true };

    it('O7: reacts to a post once for its account, for ever', async () => {
      at.network.posts.set('p-fred', [{ postId: '7000000000000000002', ...shown }]);
      const input = { postUrl: post(2), reaction: 'insightful', timing: 'now' };
      expect(await call('svc_like_post', input)).to.include({ status: 'done', deduplicated: false });
      expect(await call('svc_like_post', { ...input, reaction: 'love' })).to.include({
        status: 'already_done',
        deduplicated: true,
      });
      expect(received('fred')).to.deep.equal(['like']);
    });

    it('names what is no post, and one that is not there', async () => {
      const refused = (postUrl: string): Promise<string> => at.acme.refusal('svc_like_post', { postUrl });
      expect(await refused('https://example.com/posts/1')).to.equal(
        'Invalid input: postUrl: is not the address of a post',
      );
      expect(await refused(post(9))).to.contain('shows no such post');
      at.network.posts.set('p-gus', [{ postId: '7000000000000000003', ...shown, canReact: false }]);
      expect(await refused(post(3))).to.contain('lets nobody react');
    });

    describe('svc_comment_on_post', () => {
      it('O7: comments once, and leaves what was said by hand alone', async () => {
        at.network.posts.set('p-hedi', [{ postId: '7000000000000000004', ...shown }]);
        const input = { postUrl: post(4), text: 'The third point!', timing: 'now' };
        expect(await call('svc_comment_on_post', input)).to.include({ status: 'done' });
        expect(await call('svc_comment_on_post', { ...input, text: 'Again' })).to.include({ status: 'already_done' });
        expect(received('hedi')).to.deep.equal(['comment']);
        at.network.posts.set('p-ines', [{ postId: '7000000000000000005', ...shown }]);
        const list = at.network.listComments.bind(at.network);
        at.network.listComments = () =>
          Promise.resolve({ items: [{ commentId: 'c', text: 'By hand', own: true }], cursor: null });
        const said = await call('svc_comment_on_post', { ...input, postUrl: post(5) });
        at.network.listComments = list;
        expect(said).to.include({ status: 'failed', detail: 'the account has commented on this post before' });
        expect(received('ines')).to.deep.equal([]);
      });
    });
  });

  describe('svc_follow_profile', () => {
    it('follows a person once', async () => {
      const input = { profileUrl: profileOf('jana'), timing: 'now' };
      expect(await call('svc_follow_profile', input)).to.include({ status: 'done' });
      const again = { ...input, idempotencyKey: 'another call' };
      expect(await call('svc_follow_profile', again)).to.include({ status: 'already_done' });
      expect(received('jana')).to.deep.equal(['follow']);
    });
  });
});
