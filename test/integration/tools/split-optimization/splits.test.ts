import { expect } from 'chai';
import { type SplitConfig, splitSettings } from '../../../../pkg/domain/split-settings.ts';
import type { Tx } from '../../../../pkg/postgres/database.ts';
import { readSplits } from '../../../../pkg/store/runs/splits.ts';
import { splitResultOf } from '../../../../pkg/tools/split-optimization/split-result.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
const HOUR = 3_600_000;
const missing = (id: string): string => `Workflow "${id}" was not found. Call svc_list_workflows to find valid IDs.`;
const noSplit = (id: string): string => `Split node "${id}" was not found. Call svc_get_workflow to find valid IDs.`;

interface Split {
  nodeId: string;
  mode: string;
  metric: string;
  arms: {
    branch: string;
    weight: number;
    exposures: number;
    matured: number;
    pending: number;
    successes: number;
    rate: number | null;
    interval95: [number, number];
    chanceBest: number;
    expectedLoss: number;
  }[];
  callable: boolean;
  recommended: string | null;
  explanation: string;
}
interface Control {
  mode: string;
  weights: Record<string, number>;
}

const defaults: Omit<SplitConfig, 'branches'> = {
  mode: 'fixed',
  metric: 'replied',
  minExposuresPerArm: 50,
  minArmShare: 0.05,
  maturityHours: 168,
};
const config = { branches: [{ name: 'short', weight: 3 }, { name: 'long' }] };
const graph = {
  nodes: [
    { nodeId: 'first', nodeType: 'flow:split', label: 'First', config },
    { nodeId: 'end', nodeType: 'flow:end', label: 'End' },
    {
      nodeId: 'second',
      nodeType: 'flow:split',
      label: 'Second',
      config: { ...config, mode: 'bandit', metric: 'accepted' },
    },
    { nodeId: 'stop', nodeType: 'flow:end', label: 'Stop' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1, branch: 'short' },
    { sourceIndex: 0, targetIndex: 2, branch: 'long' },
    { sourceIndex: 2, targetIndex: 3, branch: 'short' },
    { sourceIndex: 2, targetIndex: 3, branch: 'long' },
  ],
};

describe('tools: splits, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let workflowId = '';

  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(() => tools.stop());
  beforeEach(async () => {
    const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' });
    const made = await acme.call<{ workflowId: string }>('svc_create_workflow', { campaignId, name: 'W', graph });
    workflowId = made.workflowId;
  });

  const read = async (input: object = {}): Promise<Split[]> =>
    (await acme.call<{ splits: Split[] }>('svc_get_split_results', { workflowId, ...input })).splits;
  const update = (input: object): Promise<Control> =>
    acme.call<Control>('svc_update_split_optimization', { workflowId, nodeId: 'first', ...input });
  const refused = (input: object): Promise<string> =>
    acme.refusal('svc_update_split_optimization', { workflowId, nodeId: 'first', ...input });
  /** Runs that passed a split so many hours ago; the first `replied` of them got an answer an hour later. */
  const expose = (branch: string, count: number, replied: number, hoursAgo: number): Promise<unknown> =>
    tools.rows(
      `with made as (insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, arms, entered_at, started_at, ended_at)
         select gen_random_uuid(), 'acme', $1, $1, gen_random_uuid(), 1, 'end', 'completed', jsonb_build_object('first', $2::text), $5, $5, $5 from generate_series(1, $3) returning id),
       numbered as (select id, row_number() over () as n from made),
       passed as (insert into run_event (workspace_id, run_id, at, kind, node_id, actor) select 'acme', id, $5, 'run.step_done', 'first', 'engine' from numbered)
       insert into run_event (workspace_id, run_id, at, kind, actor, data) select 'acme', id, $5 + ${HOUR}, 'reply.received', 'lead', '{"class": "positive"}' from numbered where n <= $4`,
      [workflowId, branch, count, replied, tools.now() - hoursAgo * HOUR],
    );

  describe('svc_get_split_results', () => {
    it('a new split: shares of its config, nothing known, too early to call', async () => {
      const [first, second] = await read();
      expect([first?.nodeId, first?.mode, first?.metric]).to.deep.equal(['first', 'fixed', 'replied']);
      expect([second?.nodeId, second?.mode, second?.metric]).to.deep.equal(['second', 'bandit', 'accepted']);
      expect(first?.arms.map((arm) => [arm.branch, arm.weight, arm.exposures, arm.rate])).to.deep.equal([
        ['short', 0.75, 0, null],
        ['long', 0.25, 0, null],
      ]);
      expect(first).to.include({ callable: false, recommended: null });
      expect(first?.explanation).to.match(/^Too early: each arm needs 50/);
    });

    it('matured and pending exposures are told apart; the clear winner may be called, with why', async () => {
      await expose('short', 300, 30, 200);
      await expose('long', 300, 90, 200);
      await expose('long', 40, 40, 20);
      const [split] = await read({ nodeId: 'first' });
      expect(
        split?.arms.map((arm) => [arm.branch, arm.exposures, arm.matured, arm.pending, arm.successes]),
      ).to.deep.equal([
        ['short', 300, 300, 0, 30],
        ['long', 340, 300, 40, 90],
      ]);
      const long = split?.arms[1];
      expect(long?.rate).to.equal(0.3);
      expect(long?.interval95[0]).to.be.within(0.24, 0.26);
      expect(long?.interval95[1]).to.be.within(0.35, 0.36);
      expect(long?.chanceBest).to.be.above(0.999);
      expect(split).to.include({ callable: true, recommended: 'long' });
      expect(split?.explanation).to.match(/"long" may be called: chance to be best 100\.0 %, evidence \d+/);
    });

    it('where there are more than can be counted in time, the newest that have matured tell, and that is said', async () => {
      await expose('short', 300, 30, 200);
      await expose('long', 300, 90, 200);
      await expose('long', 40, 40, 20);
      const config = {
        ...defaults,
        branches: [
          { name: 'short', weight: 3 },
          { name: 'long', weight: 1 },
        ],
      };
      const split = { workspaceId: 'acme', workflowId, nodeId: 'first', now: tools.now(), silent: ['short', 'long'] };
      const counted = (countMs?: number) =>
        tools.mcp.db.read({ kind: 'workspaces', ids: ['acme'] }, async (tx) => {
          // As if there were a million to count.
          const slow: Tx = Object.assign(Object.create(tx) as Tx, {
            limited: <T>(ms: number, work: (inner: Tx) => Promise<T>) =>
              countMs === undefined
                ? tx.limited(ms, work)
                : tx.limited(ms, (inner) => inner.exec('select pg_sleep(1)').then(() => work(inner))),
            rows: tx.rows.bind(tx),
          });
          return splitResultOf(slow, split, config, splitSettings(config, null), countMs);
        });
      const [all, some] = [await counted(), await counted(20)];
      expect(some.arms.map((arm) => [arm.branch, arm.exposures, arm.matured, arm.successes])).to.deep.equal([
        ['short', 300, 300, 30],
        ['long', 300, 300, 90],
      ]);
      expect(some.arms.map((arm) => arm.rate)).to.deep.equal(all.arms.map((arm) => arm.rate));
      expect(all.explanation).to.not.contain('newest');
      expect(some.explanation).to.match(/^"long" may be called: .* Counted are the newest 20000 runs whose window/);
    });

    it('answers a missing and a foreign workflow alike, and a node that is no split', async () => {
      expect(await acme.refusal('svc_get_split_results', { workflowId: NOBODY })).to.equal(missing(NOBODY));
      expect(await rival.refusal('svc_get_split_results', { workflowId })).to.equal(missing(workflowId));
      expect(await acme.refusal('svc_get_split_results', { workflowId, nodeId: 'end' })).to.equal(noSplit('end'));
    });
  });

  describe('svc_update_split_optimization', () => {
    it('sets shares, mode, metric and floors of one split; what is absent stays', async () => {
      expect(await update({ weights: { short: 0.2, long: 0.8 } })).to.deep.include({
        mode: 'fixed',
        weights: { short: 0.2, long: 0.8 },
      });
      await update({ metric: 'positive_reply', minExposuresPerArm: 10, maturityHours: 24 });
      await update({ minArmShare: 0.1 });
      const [kept] = await tools.mcp.platform((tx) => readSplits(tx, 'acme', [workflowId]));
      expect(kept?.minArmShare, 'as it was given, not as the nearest float of half the size').to.equal(0.1);
      await expose('short', 12, 3, 30);
      const [first, second] = await read();
      expect(first).to.include({ metric: 'positive_reply', mode: 'fixed' });
      expect(first?.arms.map((arm) => [arm.weight, arm.matured, arm.successes])).to.deep.equal([
        [0.2, 12, 3],
        [0.8, 0, 0],
      ]);
      expect(first?.explanation).to.contain('each arm needs 10 matured exposures; "long" 0');
      expect(second).to.include({ metric: 'accepted', mode: 'bandit' });
    });

    it('a promotion below minExposuresPerArm is refused', async () => {
      await expose('long', 300, 90, 200);
      expect(await refused({ promoteBranch: 'long' })).to.equal(
        'Promotion needs 50 matured exposures in each arm (minExposuresPerArm); "short" has 0. Call svc_get_split_results.',
      );
      expect((await read())[0]?.arms.map((arm) => arm.weight)).to.deep.equal([0.75, 0.25]);
    });

    it('a promoted branch gets all new leads; leads in an arm stay there; another mode takes it back', async () => {
      await expose('long', 60, 20, 200);
      await expose('short', 60, 5, 200);
      expect(await update({ promoteBranch: 'long' })).to.deep.include({
        mode: 'fixed',
        weights: { short: 0, long: 1 },
      });
      const arms = await tools.rows<{ arm: string; count: number }>(
        `select arms ->> 'first' as arm, count(*)::int as count from run where workflow_id = $1 group by 1 order by 1`,
        [workflowId],
      );
      expect(arms).to.deep.equal([
        { arm: 'long', count: 60 },
        { arm: 'short', count: 60 },
      ]);
      expect(await update({ mode: 'paused' })).to.deep.include({
        mode: 'paused',
        weights: { short: 0.75, long: 0.25 },
      });
    });

    it('reset begins anew: what was counted counts no more', async () => {
      await expose('long', 60, 20, 200);
      await update({ mode: 'bandit', reset: true });
      expect((await read())[0]?.arms.map((arm) => arm.exposures)).to.deep.equal([0, 0]);
    });

    it('names what is wrong with shares and branches', async () => {
      expect(await refused({ weights: { short: 0.5, long: 0.4 } })).to.equal(
        'Invalid input: weights: must sum to 1, not 0.9',
      );
      expect(await refused({ weights: { short: 1, other: 0 } })).to.equal(
        'Invalid input: weights.other: is none of the branches short, long',
      );
      expect(await refused({ weights: { short: 2, long: -1 } })).to.equal(
        'Invalid input: weights.short: must be a number from 0 to 1',
      );
      expect(await refused({ promoteBranch: 'other' })).to.equal(
        'Invalid input: promoteBranch: is none of the branches short, long',
      );
      expect(await refused({ nodeId: 'second', weights: { short: 1, long: 0 } })).to.match(
        /^Invalid input: weights: only a/,
      );
    });

    it('answers a missing and a foreign workflow alike, and a node that is no split', async () => {
      const call = (user: ToolUser, id: string) =>
        user.refusal('svc_update_split_optimization', { workflowId: id, nodeId: 'first', mode: 'fixed' });
      expect(await call(acme, NOBODY)).to.equal(missing(NOBODY));
      expect(await call(rival, workflowId)).to.equal(missing(workflowId));
      expect(await refused({ nodeId: 'end' })).to.equal(noSplit('end'));
    });
  });
});
