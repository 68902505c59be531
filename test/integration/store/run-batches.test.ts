import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MOVE_EACH, MOVE_TOGETHER, type RunChange, WRITE_WHOLE } from '../../../pkg/store/runs/run-changes.ts';
import { APPEND_EACH, APPEND_GROUPS, appendEvents, type RunEvent } from '../../../pkg/store/runs/run-events.ts';
import { dequeue, type RunRow } from '../../../pkg/store/runs/runs.ts';
import { STEP_TOGETHER, writeSteps } from '../../../pkg/store/runs/write-steps.ts';
import { analyzeRuns, type Bench, change, openBench } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const HOUR = 3_600_000;
const LOOKUPS = { lookups: true };
/** What an array's text form, or JSON, must quote. */
const ODD = 'a "b", {c}\\d\n\u00e9 null';

describe('what a batch writes', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: LedgerWorkflow;
  const { workflowFixture } = ledgerTools(() => bench);
  before(async () => {
    bench = await openBench();
    at = await workflowFixture();
  });
  after(() => bench.close());

  const event = (runId: string, extra: Partial<RunEvent> = {}): RunEvent => ({
    ...{ runId, at: NOW, kind: 'run.step_done', nodeId: 'n0', actor: 'engine', text: '', data: { outcome: 'next' } },
    ...extra,
  });
  /** As they are read back, by run in the order of `seq`; events in between are of other runs. */
  async function history(runs: readonly string[]): Promise<RunEvent[][]> {
    const rows = await at.claim.tx((tx) =>
      tx.rows<RunEvent>(
        `select run_id as "runId", at, kind, node_id as "nodeId", actor, text, data from run_event where run_id = any ($1) order by seq`,
        [runs],
      ),
    );
    return runs.map((run) => rows.filter((row) => row.runId === run));
  }
  async function writtenAndRead(events: readonly RunEvent[]): Promise<void> {
    const runs = [...new Set(events.map((one) => one.runId))];
    await at.claim.tx((tx) => appendEvents(tx, at.ws, events), LOOKUPS);
    const expected = runs.map((run) => events.filter((one) => one.runId === run));
    expect(await history(runs)).to.deep.equal(expected);
  }

  it('history of many runs that take the same ways is read back exactly and in order', async () => {
    const shared = { outcome: 'next', nested: { odd: ODD, list: [1, null, true] } };
    const ways: Partial<RunEvent>[] = [
      { data: shared },
      { nodeId: null, text: ODD, data: {} },
      { nodeId: '', kind: 'run.completed', at: NOW + 40 * 24 * HOUR, data: { state: 'completed' } },
    ];
    const runs = Array.from({ length: 60 }, () => randomUUID());
    // Every second run takes the ways backwards, every fifth repeats its first one.
    await writtenAndRead(
      runs.flatMap((run, index) => {
        const turned = index % 2 === 0 ? ways : ways.toReversed();
        return [...turned, ...(index % 5 === 0 ? turned.slice(0, 1) : [])].map((way) => event(run, way));
      }),
    );
  });

  it('history of which each line is its own is read back exactly and in order', async () => {
    const runs = Array.from({ length: 5 }, () => randomUUID());
    await writtenAndRead(
      Array.from({ length: 50 }, (_none, n) =>
        event(runs[n % 5] ?? '', { nodeId: n % 3 === 0 ? null : `n${n}`, text: `${ODD}${n}`, data: { n, odd: ODD } }),
      ),
    );
    await writtenAndRead([event(randomUUID())]);
  });

  it('history is written as it comes, without a join or a sort', async () => {
    for (const text of await plans(APPEND_GROUPS, APPEND_EACH)) {
      expect(text)
        .to.contain('ProjectSet')
        .and.not.match(/Sort|Join|Nested Loop|Hash/);
    }
  });

  /** Due runs of the place, new ones. */
  async function due(count: number): Promise<RunRow[]> {
    await change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select uuidv7(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', $4, 1, 1 from generate_series(1, $5) i`,
      [at.ws, at.flow, at.camp, NOW, count],
    );
    return at.claim.tx((tx) => dequeue(tx, NOW, count, []));
  }
  const plans = async (...texts: string[]): Promise<string[]> => {
    const explained = texts.map((text) => {
      const values = [...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n));
      return at.claim.tx(async (tx) => {
        await tx.exec(`prepare asked as ${text}`);
        const nulls = Array.from({ length: Math.max(...values) }, () => 'null').join(', ');
        const rows = await tx.rows<{ 'QUERY PLAN': string }>(`explain (costs off) execute asked (${nulls})`);
        await tx.exec('deallocate asked');
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      }, LOOKUPS);
    });
    return Promise.all(explained);
  };

  /** Each is moved on in its own way; a fifth of them `elsewhere`, which no other run shares. */
  function moved(run: RunRow, index: number, elsewhere: boolean): RunChange {
    const alone = elsewhere ? index : index % 2;
    const on: RunRow = { ...run, nodeId: `${ODD}${alone}`, state: 'blocked', waitReason: 'duration', enteredAt: NOW };
    on.dueAt = index % 2 === 0 ? null : NOW + HOUR;
    if (index % 7 === 0) on.sendId = randomUUID();
    if (index % 11 === 0) on.facts = { odd: ODD, n: null };
    if (index % 17 === 0) on.arms = { n0: ODD };
    if (index % 19 === 0) on.accountId = ODD;
    if (index % 13 !== 0) return { before: run, run: on, end: null };
    return { before: run, run: { ...on, state: 'completed', dueAt: null }, end: { at: NOW, reason: ODD } };
  }
  const written = ({ run, end }: RunChange): unknown => ({
    ...run,
    endedAt: end?.at ?? null,
    endReason: end?.reason ?? null,
    version: 2,
  });
  const read = (ids: readonly string[]): Promise<unknown[]> =>
    at.claim.tx((tx) =>
      tx.rows(
        `select r.id, workflow_id as "workflowId", campaign_id as "campaignId", lead_id as "leadId", person_id as "personId",
           graph_version as "graphVersion", node_id as "nodeId", state, wait_reason as "waitReason", due_at as "dueAt", entered_at as "enteredAt",
           account_id as "accountId", arms, facts, send_id as "sendId", ended_at as "endedAt", end_reason as "endReason", version
         from unnest($1::uuid[]) with ordinality k (id, place) join run r using (id) order by k.place`,
        [ids],
      ),
    );

  for (const [what, count, elsewhere] of [
    ['of many runs that go to the same places', 200, false],
    ['of runs each of which goes elsewhere', 200, true],
    ['of a few runs', 3, false],
  ] as const) {
    it(`places, sends, facts and ends ${what} are read back exactly, each written once`, async () => {
      const runs = await due(count);
      const changes = runs.map((run, index) => moved(run, index, elsewhere));
      await at.claim.tx((tx) => writeSteps(tx, at.ws, changes, []), LOOKUPS);
      expect(await read(runs.map((run) => run.id))).to.deep.equal(changes.map(written));
      await change(bench, 'update run set due_at = null where workspace_id = $1', [at.ws]);
    });
  }

  for (const [what, tell] of [
    ['in the order in which they move', (events) => events],
    ['in another order', (events) => events.toReversed()],
    ['but for one of them', (events) => events.slice(1)],
    ['of each of them twice', (events) => events.flatMap((one) => [one, { ...one, text: ODD }])],
    ['each in its own words', (events) => events.map((one, n) => ({ ...one, text: `${ODD}${n}` }))],
  ] as [string, (events: RunEvent[]) => RunEvent[]][]) {
    it(`places and history are read back exactly, when it tells ${what}`, async () => {
      const runs = await due(60);
      const changes = runs.map((before, index): RunChange => {
        const two = index < 25 ? 'a' : 'b';
        return { before, run: { ...before, nodeId: `${ODD}${two}`, dueAt: NOW + HOUR, enteredAt: NOW }, end: null };
      });
      const events = tell(changes.map(({ run }) => event(run.id, { nodeId: run.nodeId })));
      await at.claim.tx((tx) => writeSteps(tx, at.ws, changes, events), LOOKUPS);
      const ids = runs.map((run) => run.id);
      expect(await read(ids)).to.deep.equal(changes.map(written));
      expect(await history(ids)).to.deep.equal(ids.map((id) => events.filter((one) => one.runId === id)));
      await change(bench, 'update run set due_at = null where workspace_id = $1', [at.ws]);
    });
  }

  it('runs are found by their ids, whatever the statistics say', async () => {
    const writes = [MOVE_TOGETHER, MOVE_EACH, WRITE_WHOLE, STEP_TOGETHER];
    const stale = await plans(...writes);
    await due(5_000);
    await analyzeRuns(bench);
    for (const text of [...stale, ...(await plans(...writes))]) {
      expect(text, text).to.match(/Index Scan using run_pkey on run r\n\s+Index Cond: \(id = (ANY|u\.id)/);
      expect(text).not.to.match(/Seq Scan on run|Bitmap|Hash|Sort/);
    }
  });
});
