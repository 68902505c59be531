import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';
import { platformAdmin } from '../../stories/people.ts';

const FROZEN = 12_000;
/** Runs that a transaction of the release may hold. */
const PART = 5_000;

describe('svc_admin_set_send_freeze: the end of a freeze that many wait for', function () {
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

  it('all of them look again, in parts that hold nobody for long; who is paused stays so', async () => {
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
});
