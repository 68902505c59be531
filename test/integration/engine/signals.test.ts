import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  lead,
  message,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: signals of a lead and of its company', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  /** A signal `daysAgo`, of the lead itself or of its company. */
  async function signal(
    at: WorkflowFixture,
    of: { leadId?: string; companyId?: string },
    { type = 'job_change', title = 'New role', daysAgo = 0, days = 60 } = {},
  ): Promise<void> {
    const occurred = bench.clock.now() - daysAgo * DAY;
    await change(
      bench,
      `insert into signal (id, workspace_id, type, lead_id, company_id, title, occurred_at, detected_at, expires_at)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $6, $7)`,
      [at.ws, type, of.leadId ?? null, of.companyId ?? null, title, occurred, occurred + days * DAY],
    );
  }

  async function companyOf(at: WorkflowFixture, leadId: string): Promise<string> {
    const id = randomUUID();
    await change(
      bench,
      `insert into company (id, workspace_id, name, company_key, domain, created_at, updated_at) values ($1::uuid, $2, 'Acme', $1::uuid::text, '', 1, 1)`,
      [id, at.ws],
    );
    await change(bench, 'update lead set company_id = $2 where id = $1', [leadId, id]);
    return id;
  }

  const branches = (node: object): Parameters<typeof workflowFixture>[1] => ({
    nodes: [
      node as { nodeType: string },
      { nodeType: 'flow:end', config: { reason: 'yes' } },
      { nodeType: 'flow:end', config: { reason: 'no' } },
    ],
    edges: [
      { sourceIndex: 0, targetIndex: 1, branch: 'yes' },
      { sourceIndex: 0, targetIndex: 2, branch: 'no' },
    ],
  });

  it('lead:score counts them by the rules of the campaign, and says so in its reasons', async () => {
    const graph = branches({ nodeType: 'lead:score', config: { scoreMin: 130 } });
    for (const edge of graph.edges) edge.branch = edge.branch === 'yes' ? 'above' : 'below';
    const at = await workflowFixture(bench, graph, {
      signalWeights: { job_change: 25 },
      signalRules: { job_change: { decay: 'none', windowDays: 60 } },
    });
    const icp = randomUUID();
    await change(
      bench,
      `insert into icp (id, workspace_id, campaign_id, titles, created_at) values ($1, $2, $3, '{VP Sales}', 1)`,
      [icp, at.ws, at.camp],
    );
    const [moved, quiet] = [await lead(bench, at), await lead(bench, at)];
    for (const { leadId } of [moved, quiet]) {
      await change(bench, `update lead set title = 'VP Sales' where id = $1`, [leadId]);
    }
    await signal(at, { leadId: moved.leadId }, { daysAgo: 30 });
    await signal(
      at,
      { companyId: await companyOf(at, moved.leadId) },
      { type: 'funding_round', daysAgo: 45, days: 90 },
    );
    await enrol(bench, at.ws, at.flow, [moved.leadId, quiet.leadId]);
    await at.handle.quiet();
    const ends = [(await runOf(bench, moved.leadId)).end_reason, (await runOf(bench, quiet.leadId)).end_reason];
    expect(ends).to.deep.equal(['yes', 'no']);
    const scores = await query<{
      icp_score: number;
      signal_score: number;
      total: number;
      reasons: { points: number }[];
    }>(bench, 'select icp_score, signal_score, total, reasons from lead_score where icp_id = $1 order by total desc', [
      icp,
    ]);
    // 25 points that do not fade, and half of the 20 of a round of funding.
    expect(scores.map((row) => [row.icp_score, row.signal_score, row.total])).to.deep.equal([
      [100, 35, 135],
      [100, 0, 100],
    ]);
    expect(scores[0]?.reasons.reduce((sum, reason) => sum + reason.points, 0)).to.equal(135);
  });

  it('flow:condition knows them while they last', async () => {
    const graph = branches({
      nodeType: 'flow:condition',
      config: { match: 'all', rules: [{ field: 'signal.job_change', op: 'exists' }] },
    });
    for (const edge of graph.edges) edge.branch = edge.branch === 'yes' ? 'true' : 'false';
    const at = await workflowFixture(bench, graph);
    const [moved, over, other] = [await lead(bench, at), await lead(bench, at), await lead(bench, at)];
    await signal(at, { leadId: moved.leadId }, { daysAgo: 10 });
    await signal(at, { leadId: over.leadId }, { daysAgo: 70, days: 60 });
    await signal(at, { leadId: other.leadId }, { type: 'new_post' });
    await enrol(bench, at.ws, at.flow, [moved.leadId, over.leadId, other.leadId]);
    await at.handle.quiet();
    const ends: (string | null)[] = [];
    for (const { leadId } of [moved, over, other]) ends.push((await runOf(bench, leadId)).end_reason);
    expect(ends).to.deep.equal(['yes', 'no', 'no']);
  });

  it('a text states the newest one', async () => {
    const at = await workflowFixture(bench, chain(message('Congratulations: {{signal:title}}')));
    const { leadId } = await lead(bench, at);
    await signal(at, { leadId }, { title: 'Old news', daysAgo: 9 });
    await signal(at, { companyId: await companyOf(at, leadId) }, { title: 'Series B', daysAgo: 2 });
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['Congratulations: Series B']);
  });
});
