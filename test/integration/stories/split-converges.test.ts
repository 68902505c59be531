import { expect } from 'chai';
import { GraphCache } from '../../../pkg/engine/graph-cache.ts';
import { learnSplits } from '../../../pkg/engine/splits.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Split {
  arms: { branch: string; weight: number; exposures: number; matured: number; pending: number; successes: number }[];
  callable: boolean;
  recommended: string | null;
  explanation: string;
}

describe('story: a split converges although answers come days later', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let workflowId = '';
  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    await tools.account('acme');
  });
  after(() => tools.stop());

  const read = async (): Promise<Split> => {
    const { splits } = await acme.call<{ splits: [Split] }>('svc_get_split_results', { workflowId });
    return splits[0];
  };
  /** Recorded outcomes: leads passed the split now, `answers` of them answer three days later. */
  const pass = (branch: string, leads: number, answers: number): Promise<unknown> =>
    tools.rows(
      `with made as (insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, arms, entered_at, started_at, ended_at)
         select gen_random_uuid(), 'acme', $1, $1, gen_random_uuid(), 1, 'end', 'completed', jsonb_build_object('opener', $2::text), $5, $5, $5 from generate_series(1, $3) returning id),
       n as (select id, row_number() over () as n from made),
       passed as (insert into run_event (workspace_id, run_id, at, kind, node_id, actor) select 'acme', id, $5, 'run.step_done', 'opener', 'engine' from n)
       insert into run_event (workspace_id, run_id, at, kind, actor, data) select 'acme', id, $5 + ${3 * DAY}, 'reply.received', 'lead', '{"class": "neutral"}' from n where n <= $4`,
      [workflowId, branch, leads, answers, tools.now()],
    );
  /** Time passes: everything that was recorded lies so much further back. */
  const later = async (ms: number): Promise<void> => {
    await tools.rows('update run_event set at = at - $1::bigint', [ms]);
    await tools.rows('update split_control set learnt_at = learnt_at - $1::bigint', [ms]);
  };
  /** What the executor does once a day. */
  const learn = (): Promise<number> =>
    tools.mcp.platform((tx) => learnSplits(tx, { workspaceId: 'acme', now: tools.now(), cache: new GraphCache() }));

  it('early answers decide nothing; matured ones move the shares, and the winner may be called and promoted', async () => {
    const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Spring' });
    const graph = {
      nodes: [
        {
          nodeId: 'opener',
          nodeType: 'flow:split',
          label: 'Opener',
          config: { branches: [{ name: 'question' }, { name: 'offer' }], mode: 'bandit', maturityHours: 168 },
        },
        { nodeId: 'end', nodeType: 'flow:end', label: 'End' },
      ],
      edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'question' }],
    };
    const made = await acme.call<{ workflowId: string }>('svc_create_workflow', { campaignId, name: 'W', graph });
    workflowId = made.workflowId;
    await acme.call('svc_update_workflow_status', { workflowId, enabled: true });

    await pass('question', 150, 60);
    await pass('offer', 150, 15);
    await later(4 * DAY);
    expect(await learn()).to.equal(1);
    const early = await read();
    expect(early.arms.map((arm) => [arm.exposures, arm.pending, arm.matured, arm.weight])).to.deep.equal([
      [150, 150, 0, 0.5],
      [150, 150, 0, 0.5],
    ]);
    expect(early.explanation).to.match(/^Too early/);
    expect(
      await acme.refusal('svc_update_split_optimization', { workflowId, nodeId: 'opener', promoteBranch: 'question' }),
    ).to.match(/^Promotion needs 50 matured exposures .* Call svc_get_split_results\.$/);

    await later(4 * DAY);
    expect(await learn()).to.equal(1);
    const matured = await read();
    expect(matured.arms.map((arm) => [arm.matured, arm.successes])).to.deep.equal([
      [150, 60],
      [150, 15],
    ]);
    expect(matured.arms[0]?.weight).to.be.closeTo(0.95, 0.001);
    expect(matured).to.include({ callable: true, recommended: 'question' });

    const promoted = await acme.call('svc_update_split_optimization', {
      workflowId,
      nodeId: 'opener',
      promoteBranch: matured.recommended,
    });
    expect(promoted).to.deep.include({ mode: 'fixed', weights: { question: 1, offer: 0 } });
    expect(await learn(), 'a promoted split learns no more').to.equal(0);
    expect((await read()).arms.map((arm) => arm.exposures)).to.deep.equal([150, 150]);
  });
});
