import { expect } from 'chai';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { message, reviewedFlows } from '../../fixtures/stories/reviewed-flows.ts';
import { tellWorkspace } from '../../fixtures/tell-workspace.ts';

// What becomes of a draft that nobody decides: it is told before it strikes, and can be taken up again.
describe('a review that expires', function () {
  this.timeout(120_000);
  let fixture: EngineFixture;
  before(async () => {
    fixture = await startEngineFixture();
  });
  after(() => fixture.stop());
  const { flow, enrol, pending, run, control, campaignOf } = reviewedFlows(() => fixture);

  const notices = async (kind: string): Promise<{ title: string; text: string; nextTool: string }[]> =>
    (
      await fixture.acme.call<{ notifications: { kind: string; title: string; text: string; nextTool: string }[] }>(
        'svc_list_notifications',
        { limit: 100 },
      )
    ).notifications.filter((one) => one.kind === kind);

  it('is announced before it strikes, and the tool that its refusal names takes the lead up again', async () => {
    const workflowId = await flow([message('first', 'Hello')], [], {
      reviewMode: 'all',
      reviewExpiresAfterHours: 48,
    });
    const { runId, received } = await enrol(workflowId);
    const { reviewItemId } = await pending(workflowId);
    const before = (await notices('review.pending')).length;
    await fixture.pass(33 * HOUR);
    const told = (await notices('review.pending')).slice(0, -before || undefined);
    expect(told.map((one) => one.title)).to.deep.equal(['Drafts are about to expire']);
    expect(await run(runId)).to.include({ state: 'in_review' });
    await fixture.pass(15 * HOUR);
    expect(await run(runId)).to.include({ state: 'stopped', endReason: 'the review expired' });
    expect((await notices('review.expired')).map((one) => one.nextTool)).to.include('svc_list_review_items');
    const refused = await fixture.acme.refusal('svc_approve_review_item', { reviewItemId });
    expect(refused)
      .to.match(/"resume".*Call svc_control_workflow_runs/)
      .and.to.contain(runId);
    expect(await control(runId, 'resume')).to.deep.include({ changed: 1, unchanged: [] });
    await fixture.pass(0);
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received()).to.deep.equal(['Hello']);
  });

  it('never comes where the campaign says 0: the draft waits until a person decides', async () => {
    const workflowId = await flow([{ nodeType: 'flow:review' }, message('first', 'Hello')], [], {
      reviewExpiresAfterHours: 0,
    });
    const { runId, received } = await enrol(workflowId);
    for (let month = 0; month < 6; month++) await fixture.pass(30 * DAY);
    expect(await run(runId)).to.include({ state: 'in_review' });
    const item = await pending(workflowId);
    expect(item).to.include({ expiresAt: null });
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: item.reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received()).to.deep.equal(['Hello']);
  });

  it('is told to the reviewers whom its node names, beside owners and admins; the item names the tool that goes on', async () => {
    const { tools } = fixture;
    const userId = await tools.mcp.user();
    const [{ workspace_id: workspaceId = '' } = {}] = await tools.rows<{ workspace_id: string }>(
      'select workspace_id from account_link where account_id = $1',
      [fixture.accountId],
    );
    await tools.force(
      `insert into member (id, workspace_id, user_id, role, joined_at) values (gen_random_uuid(), $1, $2, 'reviewer', 1)`,
      [workspaceId, userId],
    );
    const review = {
      nodeType: 'flow:review',
      config: { expiresAfterMs: 6 * HOUR, reviewerIds: [userId], onExpire: 'skip' },
    };
    const workflowId = await flow([review, message('first', 'Hello')]);
    const { runId } = await enrol(workflowId);
    const { reviewItemId } = await pending(workflowId);
    await tellWorkspace(tools.cluster.db, workspaceId, tools.cluster.clock.now());
    await fixture.pass(5 * HOUR);
    await fixture.pass(2 * HOUR);
    const heard = await tools.force<{ reviewer: boolean; kind: string; title: string }>(
      `select user_id = $2 as reviewer, kind, title
       from notification
       where workspace_id = $1 and data ->> 'reviewItemId' = $3
       order by created_at, kind, 1`,
      [workspaceId, userId, reviewItemId],
    );
    const titles = (reviewer: boolean): string[] =>
      heard.filter((one) => one.reviewer === reviewer).map((one) => one.title);
    expect(titles(true)).to.deep.equal(['A draft waits for you', 'Drafts are about to expire', 'Drafts have expired']);
    expect(titles(false)).to.deep.equal(['Drafts are about to expire', 'Drafts have expired']);
    // Nobody said that the lead is done: without an edge of "expired" it is stopped, not completed.
    expect(await run(runId)).to.include({ state: 'stopped', endReason: 'the review expired' });
    const { reviewItem } = await fixture.acme.call<{ reviewItem: { state: string; reason: string } }>(
      'svc_get_review_item',
      { reviewItemId },
    );
    expect(reviewItem.state).to.equal('expired');
    expect(reviewItem.reason).to.contain(`svc_control_workflow_runs with action "resume" takes up run ${runId}`);
    expect(await control(runId, 'resume')).to.deep.include({ changed: 1, unchanged: [] });
    await fixture.pass(0);
    expect(await run(runId)).to.include({ state: 'in_review' });
  });

  it('while its campaign is paused can be taken up as well', async () => {
    const workflowId = await flow([
      { nodeType: 'flow:review', config: { expiresAfterMs: HOUR } },
      message('first', 'Hello'),
    ]);
    const { runId } = await enrol(workflowId);
    const campaignId = await campaignOf(workflowId);
    await fixture.acme.call('svc_update_campaign', { campaignId, status: 'paused' });
    await fixture.pass(2 * HOUR);
    expect(await control(runId, 'resume')).to.deep.include({ changed: 1 });
    await fixture.acme.call('svc_update_campaign', { campaignId, status: 'active' });
    await fixture.pass(0);
    expect(await run(runId)).to.include({ state: 'in_review' });
    expect(await pending(workflowId)).to.include({ state: 'pending' });
  });
});
