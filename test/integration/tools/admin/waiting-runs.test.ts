import { expect } from 'chai';
import { platformAdmin } from '../../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const FROZEN = 12_000;
/** Runs that a transaction of the release may hold. */
const PART = 5_000;

describe('what many wait for is over', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let admin: ToolUser;
  before(async () => {
    tools = await startMcpTools();
    admin = await platformAdmin(tools);
    for (const workspace of ['acme', 'rival']) {
      const user = await tools.as({ workspace });
      const { campaignId } = await user.call('svc_create_campaign', { title: 'Growth' });
      const graph = {
        nodes: [{ nodeType: 'source:manual' }, { nodeType: 'network:profile_view' }],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await user.call('svc_create_workflow', { campaignId, name: 'Hello', graph });
      await tools.force(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, wait_reason, due_at, entered_at, started_at)
         select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', case when g % 100 = 0 then 'paused' else 'waiting' end,
           case when g % 100 > 0 then 'send_freeze' end, case when g % 2 = 0 then 8000000000000 end, 1, 1 from generate_series(1, $4::int) g`,
        [workspace, workflowId, campaignId, FROZEN / 2],
      );
    }
    await admin.call('svc_admin_set_send_freeze', { frozen: true, reason: 'a test' });
  });
  after(() => tools.stop());

  it('a freeze: all of them look again, in parts that hold nobody for long; who is paused stays so', async () => {
    await tools.force('delete from workspace_wake');
    await admin.call('svc_admin_set_send_freeze', { frozen: false, reason: 'over' });
    const now = tools.now();
    const runs = await tools.force(
      `select count(*) filter (where due_at <= $1)::int as due, count(*) filter (where state = 'paused' and (due_at is null or due_at = 8000000000000))::int as paused from run`,
      [now],
    );
    expect(runs).to.deep.equal([{ due: FROZEN * 0.99, paused: FROZEN * 0.01 }]);
    const parts = await tools.force<{ runs: number }>(
      `select count(*)::int as runs from run where due_at <= $1 group by xmin order by 1 desc`,
      [now],
    );
    expect(parts[0]?.runs).to.be.at.most(PART);
    const woken = await tools.force(`select workspace_id as ws from workspace_wake order by 1`);
    expect(woken).to.deep.equal([{ ws: 'acme' }, { ws: 'rival' }]);
  });

  it('credits are there again: all of that workspace look again, in such parts, and nobody elsewhere', async () => {
    await tools.force(`update run set wait_reason = 'credits', due_at = 8000000000000 where state = 'waiting'`);
    await tools.force(
      `insert into run select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'lead_id', gen_random_uuid()))).* from run r`,
    );
    await tools.force('delete from workspace_wake');
    await admin.call('svc_admin_adjust_credits', {
      workspaceId: 'acme',
      amount: 10,
      reason: 'paid',
      idempotencyKey: 'k',
    });
    const due = await tools.force<{ ws: string; runs: number }>(
      `select workspace_id as ws, count(*)::int as runs from run where due_at <= $1 group by workspace_id, xmin order by 2 desc`,
      [tools.now()],
    );
    expect(new Set(due.map((part) => part.ws))).to.deep.equal(new Set(['acme']));
    expect(due.reduce((sum, part) => sum + part.runs, 0)).to.equal(FROZEN * 0.99);
    expect(due[0]?.runs).to.be.at.most(PART);
    expect(await tools.force(`select workspace_id as ws from workspace_wake`)).to.deep.equal([{ ws: 'acme' }]);
  });
});
