import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import { tellWorkspace } from '../../fixtures/tell-workspace.ts';

describe('engine: who is asked to review', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  async function user(ws: string | null, role = 'reviewer'): Promise<string> {
    const id = randomUUID();
    await change(bench, `insert into app_user (id, email, created_at) values ($1::uuid, $1::text || '@x.example', 1)`, [
      id,
    ]);
    if (ws) {
      await change(
        bench,
        `insert into member (id, workspace_id, user_id, role, joined_at) values ($1, $2, $3, $4, 1)`,
        [randomUUID(), ws, id, role],
      );
    }
    return id;
  }
  const told = async (ws: string): Promise<Record<string, unknown>[]> => {
    await tellWorkspace(bench.app, ws, bench.clock.now());
    return query(
      bench,
      `select n.user_id, n.kind, n.title, n.text, n.next_tool, n.data ->> 'reviewItemId' = i.id::text as shown
       from notification n join review_item i on i.workspace_id = n.workspace_id where n.workspace_id = $1 and n.kind = 'review.pending' order by n.user_id`,
      [ws],
    );
  };

  it('the reviewers that a node names are told once that a draft waits, with its instructions; strangers are not', async () => {
    const review = { nodeType: 'flow:review', label: 'Human check', config: {} };
    const at = await places.workflowFixture(bench, places.chain(review, places.message('Hello')));
    const [reviewer, stranger] = [await user(at.ws), await user(null)];
    review.config = { reviewerIds: [reviewer, stranger], instructions: 'Is it polite?' };
    await change(
      bench,
      `update workflow_graph set graph = jsonb_set(graph, '{nodes,0,config}', $2::jsonb) where workflow_id = $1`,
      [at.flow, JSON.stringify(review.config)],
    );
    const { leadId } = await places.lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const notice = {
      user_id: reviewer,
      kind: 'review.pending',
      title: 'Human check',
      text: 'Is it polite?',
      next_tool: 'svc_get_review_item',
      shown: true,
    };
    expect(await told(at.ws)).to.deep.equal([notice]);
    await passTime(bench, at.handle, places.DAY, places.HOUR);
    expect(await told(at.ws)).to.deep.equal([notice]);
  });

  it('when none of them is a member any more, owner and admins are told', async () => {
    const review = { nodeType: 'flow:review', config: {} };
    const at = await places.workflowFixture(bench, places.chain(review, places.message('Hello')));
    const [removed, admin] = [await user(at.ws), await user(at.ws, 'admin')];
    await user(at.ws, 'member');
    await change(
      bench,
      `update workflow_graph set graph = jsonb_set(graph, '{nodes,0,config}', $2::jsonb) where workflow_id = $1`,
      [at.flow, JSON.stringify({ reviewerIds: [removed] })],
    );
    await change(bench, 'delete from member where user_id = $1', [removed]);
    const { leadId } = await places.lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect((await told(at.ws)).map((notice) => notice['user_id'])).to.deep.equal([admin]);
  });

  it('a review node that names nobody asks the reviewers, owner and admins of the workspace', async () => {
    const at = await places.workflowFixture(bench, places.chain({ nodeType: 'flow:review' }, places.message('Hello')));
    const [reviewer, admin] = [await user(at.ws), await user(at.ws, 'admin')];
    await user(at.ws, 'member');
    const { leadId } = await places.lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect((await told(at.ws)).map((notice) => notice['user_id'])).to.have.members([reviewer, admin]);
    expect(await places.runOf(bench, leadId)).to.include({ state: 'in_review' });
  });
});
