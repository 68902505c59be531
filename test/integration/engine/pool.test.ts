import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import { type FaultHook, noFaults } from '../../../pkg/engine/fault-points.ts';
import type { PoolSource } from '../../../pkg/engine/lease/lease-source.ts';
import { FairGate } from '../../../pkg/engine/pool/fair-gate.ts';
import { PoolHost } from '../../../pkg/engine/pool/pool-host.ts';
import { PoolTenant, type ServedEngine } from '../../../pkg/engine/pool/pool-tenant.ts';
import {
  type Bench,
  change,
  type EngineHandle,
  enrol,
  openBench,
  openEngine,
  poolShare,
  query,
} from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  lead,
  message,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

const BACKLOG = 4_000;
const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One place for all, and a record of who asked and who entered. */
class WatchedGate extends FairGate {
  readonly entered: string[] = [];
  /** Of each who entered: how many entries of others came between its question and its own. */
  readonly passed: { id: string; before: string[] }[] = [];

  override async enter(workspaceId: string, urgent = false): Promise<() => void> {
    const asked = this.entered.length;
    const leave = await super.enter(workspaceId, urgent);
    this.passed.push({ id: workspaceId, before: this.entered.slice(asked) });
    this.entered.push(workspaceId);
    return leave;
  }
}

describe('engine: workspaces of one process', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
    bench.pool = poolShare(bench.executor);
  });
  afterEach(() => bench.close());

  const backlog = (at: WorkflowFixture): Promise<number> =>
    change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', i, 1, 1 from generate_series(1, ${BACKLOG}) i`,
      [at.ws, at.flow, at.camp],
    );
  const dueIn = async (ws: string): Promise<number> => {
    const [row] = await query<{ n: number }>(
      bench,
      `select count(*)::int as n from run where workspace_id = $1 and due_at <= $2 and ended_at is null`,
      [ws, bench.clock.now()],
    );
    return row?.n ?? 0;
  };

  it('one with a backlog takes turns with the others, however much of it is due, and all are done before the backlog is', async () => {
    // Each transaction takes as long as any other: who goes first depends on nothing but the order of events.
    let moments = 0;
    const gate = new WatchedGate({ slots: 1, perWorkspace: 1, now: () => moments++ });
    bench.pool = { gate, renewals: poolShare(bench.executor).renewals };
    const big = await workflowFixture(bench, chain(WAIT, WAIT));
    await backlog(big);
    const quiet = await Promise.all(Array.from({ length: 3 }, () => workflowFixture(bench, chain(message()))));
    for (const one of quiet) await enrol(bench, one.ws, one.flow, [(await lead(bench, one)).leadId]);
    const ran = [big.handle.engine.run()];
    while (gate.entered.length < 10) await turn();
    ran.push(...quiet.map((one) => one.handle.engine.run()));
    while (quiet.some((one) => one.network.received.length === 0)) await turn();
    expect(await dueIn(big.ws), 'the backlog is still there').to.be.above(0);
    while ((await dueIn(big.ws)) > 0) await turn();
    for (const one of [big, ...quiet]) one.handle.engine.drain();
    await Promise.all(ran);
    expect(quiet.map((one) => one.network.received.length)).to.deep.equal([1, 1, 1]);
    const ids = new Set(quiet.map((one) => one.ws));
    const behind = gate.passed
      .filter(({ id }) => ids.has(id))
      .map(({ before }) => before.filter((id) => id === big.ws).length);
    expect(
      Math.max(...behind),
      'entries of the backlog between a question and its answer: no more than there are workspaces',
    ).to.be.at.most(4);
    const steps = await query<{ runs: number; events: number }>(
      bench,
      `select count(distinct run_id)::int as runs, count(*)::int as events from run_event where workspace_id = $1 and kind = 'run.step_done'`,
      [big.ws],
    );
    expect(steps, 'each run of the backlog is stepped once').to.deep.equal([{ runs: BACKLOG, events: BACKLOG }]);
  });

  it('one whose engine fails at each batch stops nobody, is begun less and less often, and works once it is healed', async () => {
    const poisoned = await workflowFixture(bench, chain(message()));
    const sound = await Promise.all(Array.from({ length: 2 }, () => workflowFixture(bench, chain(message()))));
    const all = [poisoned, ...sound];
    for (const one of all) one.handle.deps.claim.stop();
    for (const one of all) await enrol(bench, one.ws, one.flow, [(await lead(bench, one)).leadId]);
    let healed = false;
    const faults: FaultHook = () => (healed ? Promise.resolve() : Promise.reject(new Error('poison')));
    const rests: number[] = [];
    const grants = new Map<string, { token: string; epoch: number }>();
    const host = new PoolHost({
      source: {
        onWake: () => undefined,
        claim: async () => null,
        dueAccounts: async () => ({ accountIds: [], nextAt: null }),
        seats: async () => all.map((one) => ({ workspaceId: one.ws, wakeAt: null })),
      } satisfies PoolSource,
      now: () => bench.clock.now(),
      log: createLogger('test', 'silent'),
      tenant: (workspaceId) => {
        const at = all.find((one) => one.ws === workspaceId) ?? poisoned;
        let handle: EngineHandle | undefined;
        return new PoolTenant({
          workspaceId,
          log: createLogger('test', 'silent'),
          claim: async () => {
            handle = await openEngine(bench, workspaceId, at.network, { faults: at === poisoned ? faults : noFaults });
            return { token: 'of the harness', epoch: handle.deps.claim.epoch };
          },
          serve: ({ token, epoch }): ServedEngine => {
            if (!handle) throw new Error('served without a claim');
            grants.set(workspaceId, { token, epoch });
            const { engine, deps } = handle;
            return {
              run: () => engine.run(),
              drain: () => engine.drain(),
              poke: () => engine.poke(),
              settle: () => engine.settle(),
              release: () => deps.claim.release(),
              stop: () => deps.claim.stop(),
            };
          },
          onFenced: () => undefined,
          onFailure: () => undefined,
          sleep: async (ms) => {
            if (workspaceId === poisoned.ws) rests.push(ms);
            await turn();
          },
        });
      },
    });
    const stop = new AbortController();
    const ran = host.run(stop.signal);
    while (sound.some((one) => one.network.received.length === 0) || rests.length < 4) await turn();
    expect(rests.slice(0, 4)).to.deep.equal([1_000, 2_000, 4_000, 8_000]);
    expect(poisoned.network.received).to.have.length(0);
    expect(
      sound.map((one) => grants.get(one.ws)?.epoch),
      'the others never lost their claim',
    ).to.deep.equal([2, 2]);
    healed = true;
    while (poisoned.network.received.length === 0) await turn();
    stop.abort(new Error('over'));
    await ran;
    expect(all.map((one) => one.network.received.length)).to.deep.equal([1, 1, 1]);
    const held = await query(bench, `select key from claim where holder is not null`);
    expect(held, 'all gave their claims back').to.deep.equal([]);
  });
});
