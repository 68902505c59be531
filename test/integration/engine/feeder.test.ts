import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { SourceRounds } from '../../../pkg/engine/sources/source-rounds.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { type Candidates, listCandidates, poolCandidates, type SourcePlace } from '../../../pkg/store/runs/feed.ts';
import { type Bench, change, openBench, query } from '../../fixtures/engine/harness.ts';
import { addWorkflow } from '../../fixtures/engine/rows.ts';
import { DAY, type WorkflowFixture, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';
import { rowsRead } from '../../fixtures/store/rows-read.ts';

describe('engine: what sources feed', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  const wait = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 30 * DAY } };

  /** A list whose oldest `barred` members work where nobody may be contacted, and one member behind them. */
  async function listBehind(at: WorkflowFixture, list: string, barred: number): Promise<void> {
    await change(
      bench,
      `insert into lead_list (id, workspace_id, name, type, created_at) values ($1, $2, 'L', 'static', 1)`,
      [list, at.ws],
    );
    await change(
      bench,
      `insert into suppression (id, workspace_id, level, kind, value, source, created_by, created_at)
       values (gen_random_uuid(), $1, 'workspace', 'domain', 'barred.example', 'manual', 'test', 1)`,
      [at.ws],
    );
    await change(
      bench,
      `with made as (
         insert into lead (id, workspace_id, full_name, email, profile_id, profile_url, created_at, updated_at)
         select gen_random_uuid(), $1, 'P' || n, 'p' || n || case when n <= $3 then '@barred.example' else '@free.example' end, 'p-' || n, 'x', n, 1
         from generate_series(1, $3 + 1) n returning id, created_at)
       insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at) select $1, $2, id, created_at from made`,
      [at.ws, list, barred],
    );
  }

  it('who stands behind thousands that may not be contacted is enrolled too', async () => {
    const list = randomUUID();
    const at = await workflowFixture(bench, {
      nodes: [{ nodeType: 'source:lead_list', config: { leadListId: list } }, wait],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    await listBehind(at, list, 2_100);
    const sources = new SourceRounds(at.handle.deps, new GraphCache(), { now: () => 0 });
    for (let round = 0; round < 3; round++) {
      sources.hurry();
      await sources.keep();
    }
    const enrolled = await query<{ full_name: string }>(
      bench,
      'select l.full_name from run r join lead l on l.id = r.lead_id where r.workflow_id = $1',
      [at.flow],
    );
    expect(enrolled.map((row) => row.full_name)).to.deep.equal(['P2101']);
  });

  /** A pool of so many, of whom all but the last one were in the workflow. */
  async function poolBehind(at: WorkflowFixture, enrolled: number): Promise<void> {
    const icp = randomUUID();
    await change(bench, `insert into icp (id, workspace_id, campaign_id, created_at) values ($1, $2, $3, 1)`, [
      icp,
      at.ws,
      at.camp,
    ]);
    await change(
      bench,
      `with made as (
         insert into lead (id, workspace_id, full_name, profile_id, created_at, updated_at)
         select gen_random_uuid(), $1, 'P' || n, 'p-' || n, n, 1 from generate_series(1, $5::int + 1) n returning id, created_at),
       scored as (
         insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
         select $1, $2, $3, id, 90, 0, case when created_at > $5::int then 60 else 90 end, 1 from made)
       insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at, ended_at)
       select gen_random_uuid(), $1, $4, $2, id, 1, 'n', 'completed', 1, 1, 1 from made where created_at <= $5::int`,
      [at.ws, at.camp, icp, at.flow, enrolled],
    );
  }
  const poolOf = (order: string): Parameters<typeof workflowFixture>[1] => ({
    nodes: [{ nodeType: 'source:campaign_pool', config: { order } }, wait],
    edges: [{ sourceIndex: 0, targetIndex: 1 }],
  });

  /** Looks part by part to the end. @returns whom it found, and the rows that each look read */
  const walk = async (
    at: WorkflowFixture,
    table: string,
    look: (tx: Tx, after: SourcePlace | null) => Promise<Candidates>,
  ): Promise<{ found: string[]; most: number[] }> => {
    const superuser = new pg.Client({ connectionString: bench.ownerUrl });
    await superuser.connect();
    await superuser.query(`analyze outrider.${table}, outrider.run, outrider.lead`);
    const found: string[] = [];
    const most: number[] = [];
    for (let after: SourcePlace | null = null, more = true; more; ) {
      const before = await rowsRead(superuser);
      const seen = await at.handle.deps.claim.tx(async (tx) => {
        const candidates = await look(tx, after);
        await tx.exec('select pg_stat_force_next_flush()');
        return candidates;
      });
      most.push((await rowsRead(superuser)) - before);
      found.push(...seen.leadIds);
      after = seen.next;
      more = after !== null;
    }
    await superuser.end();
    return { found, most };
  };

  for (const order of ['score', 'newest'] as const) {
    it(`of a pool of which most have been enrolled no look goes through more than a part, and the one who has not is found (${order})`, async () => {
      const at = await workflowFixture(bench, poolOf(order));
      await poolBehind(at, 6_000);
      const query = {
        workflowId: at.flow,
        campaignId: at.camp,
        scoreMin: 50,
        icpIds: null,
        order,
        contactedBefore: 1,
        limit: 25,
      };
      const { found, most } = await walk(at, 'lead_score', (tx, after) =>
        poolCandidates(tx, at.ws, { ...query, offset: 0, after }, 1_000),
      );
      expect(Math.max(...most)).to.be.within(1, 6_000);
      expect(most).to.have.length(7);
      expect(found).to.have.length(1);
    });
  }

  it('the same of a list', async () => {
    const list = randomUUID();
    const at = await workflowFixture(bench, {
      nodes: [{ nodeType: 'source:lead_list', config: { leadListId: list } }, wait],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    await listBehind(at, list, 6_000);
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at, ended_at)
       select gen_random_uuid(), $1, $2, $3, id, 1, 'n', 'completed', 1, 1, 1 from lead where workspace_id = $1 and email like '%@barred.example'`,
      [at.ws, at.flow, at.camp],
    );
    const { found, most } = await walk(at, 'lead_list_member', (tx, after) =>
      listCandidates(tx, at.ws, { workflowId: at.flow, leadListId: list, limit: 25, offset: 0, after, now: 1 }, 1_000),
    );
    expect(Math.max(...most)).to.be.within(1, 6_000);
    expect(most).to.have.length(7);
    expect(found).to.have.length(1);
  });

  it('who stands behind more than one round goes through is enrolled by a later one', async () => {
    const at = await workflowFixture(bench, poolOf('score'));
    await poolBehind(at, 20_500);
    // Looks are slow on a busy machine, and a source rests after slow ones: time stands still for them here.
    const sources = new SourceRounds(at.handle.deps, new GraphCache(), { now: () => 0 });
    for (let round = 0; round < 3; round++) {
      sources.hurry();
      await sources.keep();
    }
    const enrolled = await query<{ full_name: string }>(
      bench,
      'select l.full_name from run r join lead l on l.id = r.lead_id where r.workflow_id = $1 and r.ended_at is null',
      [at.flow],
    );
    expect(enrolled.map((row) => row.full_name)).to.deep.equal(['P20501']);
  });

  it('a list that takes longer to look through than a statement may keeps nobody of the others from being enrolled', async () => {
    const [slow, quick] = [randomUUID(), randomUUID()];
    const fed = (list: string): Parameters<typeof workflowFixture>[1] => ({
      nodes: [{ nodeType: 'source:lead_list', config: { leadListId: list } }, wait],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    const at = await workflowFixture(bench, fed(quick));
    const flow = await addWorkflow(bench.app, at.ws, at.camp, fed(slow));
    await listBehind(at, quick, 0);
    await change(
      bench,
      `insert into lead_list (id, workspace_id, name, type, filter, created_at) values ($1, $2, 'S', 'query', '{"query": ["nobody"]}', 1)`,
      [slow, at.ws],
    );
    const sources = new SourceRounds(at.handle.deps, new GraphCache(), { statementMs: 700 });
    // The one who refreshes the list holds it.
    await bench.app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('select 1 from lead_list where id = $1 for update', [slow]);
      for (let round = 0; round < 2; round++) {
        sources.hurry();
        await sources.keep();
      }
    });
    const enrolled = await query<{ flow: string }>(
      bench,
      'select workflow_id as flow from run where workspace_id = $1',
      [at.ws],
    );
    expect(enrolled).to.deep.equal([{ flow: at.flow }]);
    expect(flow).to.not.equal(at.flow);
  });

  it('so does a split whose outcomes take longer to count', async () => {
    const list = randomUUID();
    const at = await workflowFixture(bench, {
      nodes: [{ nodeType: 'source:lead_list', config: { leadListId: list } }, wait],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    await listBehind(at, list, 0);
    const split = { nodeType: 'flow:split', config: { branches: [{ name: 'a' }, { name: 'b' }], mode: 'bandit' } };
    await addWorkflow(bench.app, at.ws, at.camp, {
      nodes: [split, { nodeType: 'flow:end' }],
      edges: [
        { sourceIndex: 0, targetIndex: 1, branch: 'a' },
        { sourceIndex: 0, targetIndex: 1, branch: 'b' },
      ],
    });
    const sources = new SourceRounds(at.handle.deps, new GraphCache(), { statementMs: 700 });
    // The one who counts replies waits, as for the inbox of a million leads.
    await bench.app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('lock table message in access exclusive mode');
      for (let round = 0; round < 2; round++) {
        sources.hurry();
        await sources.keep();
      }
    });
    const enrolled = await query<{ flow: string }>(
      bench,
      'select workflow_id as flow from run where workspace_id = $1',
      [at.ws],
    );
    expect(enrolled).to.deep.equal([{ flow: at.flow }]);
  });
});
