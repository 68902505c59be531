import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { feedSources } from '../../../pkg/engine/sources/feeder.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { DUE_ENTRIES } from '../../../pkg/store/runs/due-plan.ts';
import { applyExclusions } from '../../../pkg/store/runs/run-writes.ts';
import { analyzeRuns, type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import { addCampaign, addLead, addWorkflow } from '../../fixtures/engine/rows.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import {
  chain,
  DAY,
  HOUR,
  MINUTE,
  message,
  type RunView,
  type WorkflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

/** A function's parameters without the first. */
type Tail<F extends (...given: never[]) => unknown> = Parameters<F> extends [unknown, ...infer Rest] ? Rest : never;

/** Those of their runs that are due: ids, workspace, until when (epoch ms), of which lane (null: of both), ids to leave, how many. */
const DUE_RUNS = `select r.id from run r
        where r.id = any ($1) and r.due_at <= $3 and (r.workspace_id = $2) is true
          and ($4::int is null or app.lane_of(r.account_id) = $4) and r.id not in (select unnest($5::uuid[]))
        order by r.due_at, r.id limit $6 for no key update skip locked`;

describe('engine: runs through their graphs', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());
  const workflowFixture = (...given: Tail<typeof places.workflowFixture>): Promise<WorkflowFixture> =>
    places.workflowFixture(bench, ...given);
  const lead = (...given: Tail<typeof places.lead>): ReturnType<typeof places.lead> => places.lead(bench, ...given);
  const runOf = (leadId: string): Promise<RunView> => places.runOf(bench, leadId);

  it('a request is made once per account and person for ever, also through another workflow', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:connection_request' }), {
      contactPolicy: { minDaysBetweenTouches: 0, recontactAfterDays: 0 },
    });
    const { leadId } = await lead(at, false);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const again = await addWorkflow(bench.app, at.ws, at.camp, chain({ nodeType: 'network:connection_request' }));
    await bench.clock.advance(DAY);
    expect((await enrol(bench, at.ws, again, [leadId]))[0]?.skipped).to.equal(null);
    await change(bench, `update relation set state = 'none', requested_at = null`);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
    // Its only step was done before by another workflow: it did nothing, and does not say that it completed.
    expect((await runOf(leadId)).state).to.equal('stopped');
  });

  it('a re-created workflow messages nobody twice, while leads whom nobody contacted are messaged', async () => {
    const at = await workflowFixture(chain(message()));
    const [contacted, fresh] = [await lead(at), await lead(at)];
    await enrol(bench, at.ws, at.flow, [contacted.leadId]);
    await at.handle.quiet();
    // Deleted: runs stopped, row tombstoned; applied again under the same name with a new uid.
    await change(bench, `update workflow set deleted_at = 1, enabled = false where id = $1`, [at.flow]);
    await change(bench, `update workflow set deleted_at = null, enabled = true, uid = 'new' where id = $1`, [at.flow]);
    const answers = await enrol(bench, at.ws, at.flow, [contacted.leadId, fresh.leadId]);
    expect(answers.map((answer) => answer.skipped)).to.deep.equal(['claimed', null]);
    await bench.clock.advance(DAY);
    await at.handle.quiet();
    await bench.clock.advance(120 * DAY);
    expect((await enrol(bench, at.ws, at.flow, [contacted.leadId]))[0]?.skipped, 'after recontactAfterDays').to.equal(
      null,
    );
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.publicId)).to.deep.equal([contacted.publicId, fresh.publicId]);
  });

  it('nobody is enrolled again before recontactAfterDays, under whatever workflow or campaign of the workspace', async () => {
    const at = await workflowFixture(chain(message()));
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const other = await addWorkflow(bench.app, at.ws, await addCampaign(bench.app, at.ws, {}), chain(message()));
    await bench.clock.advance(89 * DAY);
    expect((await enrol(bench, at.ws, other, [leadId]))[0]?.skipped).to.equal('claimed');
    await bench.clock.advance(2 * DAY);
    expect((await enrol(bench, at.ws, other, [leadId]))[0]?.skipped).to.equal(null);
  });

  it('the campaign pool feeds a graph without a source, best first, up to its limit per local date', async () => {
    const at = await workflowFixture(
      chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } }),
    );
    const icp = randomUUID();
    await change(bench, `insert into icp (id, workspace_id, campaign_id, created_at) values ($1, $2, $3, 1)`, [
      icp,
      at.ws,
      at.camp,
    ]);
    const scores = new Map<string, number>();
    for (let index = 0; index < 40; index++) {
      const id = await addLead(bench.app, at.ws, {});
      scores.set(id, 40 + index);
      await change(
        bench,
        `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at) values ($1, $2, $3, $4, $5, 0, $5, 1)`,
        [at.ws, at.camp, icp, id, 40 + index],
      );
    }
    const feed = (): Promise<number> =>
      at.handle.deps.claim.tx((tx) =>
        feedSources(tx, {
          workspaceId: at.ws,
          now: bench.clock.now(),
          cache: new GraphCache(),
          newId: () => randomUUID(),
          places: new Map(),
        }),
      );
    expect(await feed()).to.equal(25);
    expect(await feed()).to.equal(0);
    const first = await query<{ lead_id: string }>(bench, 'select lead_id from run where workflow_id = $1', [at.flow]);
    expect(Math.min(...first.map((row) => scores.get(row.lead_id) ?? 0))).to.equal(55);
    await bench.clock.advance(DAY);
    expect(await feed()).to.equal(5);
  });

  it('in-flight runs finish on their version, or migrate by node id', async () => {
    const wait = { nodeId: 'hold', nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    for (const [mode, expected] of [
      ['finish_on_old', []],
      ['migrate', ['profile_view']],
    ] as const) {
      const at = await workflowFixture(chain(wait, { nodeId: 'stop', nodeType: 'flow:end' }));
      const { leadId } = await lead(at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      const next = {
        nodes: [
          { ...wait, label: 'w' },
          { nodeId: 'view', nodeType: 'network:profile_view', label: 'v', config: {} },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      await change(bench, `insert into workflow_graph values ($1, $2, 2, $3, '1.0.0', 1)`, [
        at.ws,
        at.flow,
        JSON.stringify(next),
      ]);
      await change(bench, 'update workflow set graph_version = 2, in_flight = $2 where id = $1', [at.flow, mode]);
      await passTime(bench, at.handle, 2 * DAY, 12 * HOUR);
      expect(
        at.network.received.map((one) => one.kind),
        mode,
      ).to.deep.equal(expected);
    }
  });

  it('every waiting run has a reason, and a time unless a person has to act', async () => {
    const at = await workflowFixture(
      chain(
        { nodeType: 'network:profile_view' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        { nodeType: 'network:connection_request' },
        { nodeType: 'network:wait_connection' },
      ),
    );
    const leads = await Promise.all(Array.from({ length: 40 }, () => lead(at, false)));
    await enrol(
      bench,
      at.ws,
      at.flow,
      leads.map((one) => one.leadId),
    );
    await passTime(bench, at.handle, 6 * HOUR, 10 * MINUTE);
    const waiting = await query<RunView>(bench, `select * from run where workspace_id = $1 and ended_at is null`, [
      at.ws,
    ]);
    expect(waiting).to.have.length(40);
    expect(waiting.filter((run) => run.wait_reason === null || run.due_at === null)).to.deep.equal([]);
    expect(new Set(waiting.map((run) => run.wait_reason)).size).to.be.greaterThan(1);
  });

  it('the claim of due work reads the agenda in order and stops at its limit, whatever the statistics say', async () => {
    const at = await workflowFixture(chain({ nodeType: 'flow:end' }));
    // For whatever is asked, as the claim plans them.
    const plan = async (text: string): Promise<string> => {
      const rows = await at.handle.deps.claim.tx(
        (tx) => tx.rows<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`),
        { lookups: true },
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', case when i % 1000 = 0 then 1 else 9e15 + i end, 1, 1 from generate_series(1, 20000) i`,
      [at.ws, at.flow, at.camp],
    );
    const both = async (): Promise<[string, string]> => [await plan(DUE_ENTRIES), await plan(DUE_RUNS)];
    const stale = await both();
    await analyzeRuns(bench);
    for (const [entries, runs] of [stale, await both()]) {
      expect(entries).to.match(/^Limit/);
      expect(entries).to.match(/Index Scan using agenda_due on agenda a/);
      expect(entries).not.to.contain('Sort');
      expect(runs).to.contain('Index Scan using run_pkey on run r');
      expect(runs).not.to.match(/Seq Scan|Bitmap/);
    }
  });

  it('the statements whose plans are looked at are those that the claim runs', async () => {
    const [claim] = await query<{ body: string }>(
      bench,
      `select prosrc as body from pg_proc where proname = 'claim_due'`,
    );
    const named = (text: string, names: string[]): string =>
      text.replaceAll(/\$(\d)(::int|::uuid\[\])?/g, (_, number) => names[Number(number) - 1] ?? 'nothing');
    const entries = ['ws', 'since', 'p_until', 'least_lane', 'most_lane', 'wanted'];
    const runs = ['ids', 'ws', 'p_until', 'p_lane', 'p_busy', 'missing'];
    // How a statement is laid out is none of its plan.
    const words = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/\( | (?=\))/g, (at) => at.trim());
    const body = words(claim?.body ?? '');
    expect(body).to.contain(words(`${named(DUE_ENTRIES, entries)} for update skip locked`));
    expect(body).to.contain(words(`${named(DUE_RUNS, runs)});`));
  });

  it('the agenda follows every writer of a run: due, moved, waiting for nothing, parked, ended, deleted', async () => {
    const at = await workflowFixture(
      chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } }),
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    const { id } = await runOf(leadId);
    const agenda = async (): Promise<(number | 'parked')[]> =>
      (
        await query<{ due_at: number; parked: boolean }>(
          bench,
          'select due_at, due_at = app.parked_at() as parked from agenda where $1 = any (run_ids)',
          [id],
        )
      ).map((row) => (row.parked ? 'parked' : row.due_at));
    const seen: (number | 'parked')[][] = [await agenda()];
    for (const set of [
      'due_at = 5',
      "state = 'blocked'",
      'due_at = null',
      "wait_reason = 'send_freeze'",
      'due_at = 7',
      'due_at = null, ended_at = 1',
    ]) {
      await change(bench, `update run set ${set} where id = $1`, [id]);
      seen.push(await agenda());
    }
    await change(bench, 'update run set due_at = 9, ended_at = null where id = $1', [id]);
    await change(bench, 'delete from run where id = $1', [id]);
    seen.push(await agenda());
    expect(seen).to.deep.equal([[bench.clock.now()], [5], [5], [], ['parked'], [7], [], []]);
  });

  it('lead nodes write in the same transaction: tag, list, exclusion', async () => {
    const list = randomUUID();
    const at = await workflowFixture(
      chain(
        { nodeType: 'lead:tag', config: { add: ['a', 'b'], remove: [] } },
        { nodeType: 'lead:tag', config: { add: [], remove: ['a'] } },
        { nodeType: 'lead:add_to_list', config: { leadListId: list } },
        { nodeType: 'lead:exclude', config: { appliesTo: 'all_outreach', reason: 'test' } },
      ),
    );
    await change(
      bench,
      `insert into lead_list (id, workspace_id, name, type, created_at) values ($1, $2, 'L', 'static', 1)`,
      [list, at.ws],
    );
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(
      (await query<{ tags: string[] }>(bench, 'select tags from lead_overlay where lead_id = $1', [leadId]))[0]?.tags,
    ).to.deep.equal(['b']);
    expect(
      (await query<{ lead_count: number }>(bench, 'select lead_count from lead_list where id = $1', [list]))[0]
        ?.lead_count,
    ).to.equal(1);
    expect((await enrol(bench, at.ws, at.flow, [leadId]))[0]?.skipped).to.equal('suppressed');
    // Another run of the same person comes to its exclusion, or the same one again.
    const [excluded] = await query<{ person_id: string }>(bench, 'select person_id from lead where id = $1', [leadId]);
    const again = { personId: excluded?.person_id ?? '', appliesTo: 'all_outreach' as const, reason: 'and again' };
    await at.handle.deps.claim.tx((tx) => applyExclusions(tx, at.ws, bench.clock.now(), [again, again]));
    expect(
      await query(bench, 'select reason from suppression where workspace_id = $1', [at.ws]),
      'who is excluded already is excluded once',
    ).to.deep.equal([{ reason: 'test' }]);
  });

  it('lead:score rescores now: what the lead has become decides, not what was stored, and is stored', async () => {
    const at = await workflowFixture({
      nodes: [
        { nodeType: 'lead:score', config: { scoreMin: 60 } },
        { nodeType: 'flow:end', config: { reason: 'fits' } },
        { nodeType: 'flow:end', config: { reason: 'does not fit' } },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1, branch: 'above' },
        { sourceIndex: 0, targetIndex: 2, branch: 'below' },
      ],
    });
    const icp = randomUUID();
    await change(
      bench,
      `insert into icp (id, workspace_id, campaign_id, titles, created_at) values ($1, $2, $3, '{VP Sales}', 1)`,
      [icp, at.ws, at.camp],
    );
    const risen = await lead(at);
    const left = await lead(at);
    for (const [leadId, title, stored] of [
      [risen.leadId, 'VP Sales', 0],
      [left.leadId, 'Gardener', 100],
    ]) {
      await change(bench, 'update lead set title = $2 where id = $1', [leadId, title]);
      await change(
        bench,
        `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, reasons, computed_at)
         values ($1, $2, $3, $4, $5, 0, $5, '[]', 1)`,
        [at.ws, at.camp, icp, leadId, stored],
      );
    }
    await enrol(bench, at.ws, at.flow, [risen.leadId, left.leadId]);
    await at.handle.quiet();
    expect((await runOf(risen.leadId)).end_reason).to.equal('fits');
    expect((await runOf(left.leadId)).end_reason).to.equal('does not fit');
    const scores = await query<{ lead_id: string; total: number; reasons: unknown[] }>(
      bench,
      'select lead_id, total, reasons from lead_score where icp_id = $1 order by total desc',
      [icp],
    );
    expect(scores.map((row) => [row.lead_id, row.total])).to.deep.equal([
      [risen.leadId, 100],
      [left.leadId, 0],
    ]);
    expect(scores[0]?.reasons).to.not.deep.equal([]);
  });

  it('the loop reports idle, wakes for new work, leaves the exact wake time, and drains', async () => {
    const at = await workflowFixture(
      chain(
        { nodeType: 'network:profile_view' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } },
      ),
    );
    const loop = at.handle.engine.run();
    const idle = async (): Promise<boolean> =>
      (await query(bench, 'select 1 from claim where key = $1 and idle_epoch = epoch', [at.ws])).length > 0;
    const until = async (done: () => Promise<boolean>): Promise<void> => {
      for (let tries = 0; tries < 500; tries++) {
        if (await done()) return;
        await sleepReal(20);
      }
      throw new Error('never');
    };
    await until(idle);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await until(() => Promise.resolve(at.network.received.length === 1));
    await until(
      async () =>
        (await query(bench, 'select 1 from run where lead_id = $1 and node_id = $2', [leadId, 'n1'])).length === 1,
    );
    await until(idle);
    at.handle.engine.drain();
    await loop;
    const [wake] = await query<{ due_at: number }>(bench, 'select due_at from workspace_wake where workspace_id = $1', [
      at.ws,
    ]);
    // The campaign pool feeds again when the next local date begins, before the wait is over.
    expect(wake?.due_at).to.equal(Date.UTC(2026, 0, 6));
  });
});
