import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { EXECUTOR_ENDED } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import {
  HOUR,
  lead,
  viewThenWait,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

describe('tries of an effect that was proven not to have happened', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let up: boolean;
  beforeEach(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, viewThenWait);
    up = false;
    at.network.onPerform = async (_action, perform) => {
      if (up) return perform();
      throw new ProviderError('unavailable_before_send', 'away');
    };
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
  });
  afterEach(() => bench.close());

  interface Standing {
    node: string | null;
    state: string;
    waitReason: string | null;
    dueAt: number | null;
    endReason: string | null;
  }
  async function standing(): Promise<Standing> {
    const [row] = await query<Standing>(
      bench,
      `select node_id as node, state, wait_reason as "waitReason", due_at::float8 as "dueAt", end_reason as "endReason" from run where workspace_id = $1`,
      [at.ws],
    );
    if (!row) throw new Error('no run');
    return row;
  }

  /** One try when the run says that it comes; `ended`: it failed because its executor ended. Returns the wait before it, in ms. */
  async function tried(ended = false): Promise<number> {
    const wait = Math.max(0, ((await standing()).dueAt ?? 0) - bench.clock.now());
    await bench.clock.advance(wait);
    expect(await at.handle.engine.step()).to.equal(1);
    await at.handle.engine.settle();
    if (ended) await query(bench, `update send set error = $2 where workspace_id = $1`, [at.ws, EXECUTOR_ENDED]);
    return wait;
  }

  /** The provider is back: the next try is the last. */
  async function done(): Promise<void> {
    up = true;
    for (let round = 0; round < 3 && (await standing()).node === 'n0'; round++) {
      await tried();
      await at.handle.quiet();
    }
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['profile_view']);
    expect((await standing()).node).to.equal('n1');
  }

  it('executors that ended do not count as failures of its own: after six of them it fails once and is tried again', async () => {
    for (let round = 0; round < 6; round++) await tried(true);
    await tried();
    await done();
  });

  it('executors that end at it twenty times are the end of it, so that it cannot end them forever', async () => {
    for (let round = 0; round < 60 && (await standing()).state !== 'failed'; round++) await tried(true);
    const endReason = 'network:profile_view failed: the executor ended between dispatch and answer';
    expect(await standing()).to.deep.include({ state: 'failed', endReason });
    expect(await query(bench, `select 1 from send`)).to.have.length(20);
  });

  it('an outage of a week costs nobody their place: tried less and less often, and done as soon as it is over', async () => {
    const since = bench.clock.now();
    const waits: number[] = [];
    while (bench.clock.now() - since < 7 * 24 * HOUR) waits.push(await tried());
    // Waits of 5, 10, 20 … minutes, up to four hours, and a quarter more at most.
    expect(waits.slice(1, 5).map((wait, index) => wait / (300_000 * 2 ** index))).to.satisfy((parts: number[]) =>
      parts.every((part) => part >= 1 && part <= 1.26),
    );
    expect(Math.max(...waits)).to.be.within(4 * HOUR, 5 * HOUR);
    await done();
  });

  it('what fails for longer than eight days is given up, and the history says why', async () => {
    const since = bench.clock.now();
    while ((await standing()).state !== 'failed') await tried();
    expect(bench.clock.now() - since).to.be.within(8 * 24 * HOUR, 9 * 24 * HOUR);
    const [failed] = await query<{ data: unknown }>(bench, `select data from run_event where kind = 'message.failed'`);
    expect(failed?.data).to.include({ reason: 'away' });
    expect(at.network.received).to.deep.equal([]);
  });

  it('while it is tried again the run says why and until when, and each try stands in its history', async () => {
    await tried();
    const { waitReason, state, dueAt } = await standing();
    expect({ waitReason, state }).to.deep.equal({ waitReason: 'account_unhealthy', state: 'waiting' });
    expect((dueAt ?? 0) - bench.clock.now()).to.be.within(5 * 60_000, 7 * 60_000);
    await tried();
    const told = await query<{ nodeId: string; data: { error: string; tries: number; reason: string } }>(
      bench,
      `select node_id as "nodeId", data from run_event where kind = 'run.blocked' order by seq`,
    );
    expect(told.map(({ nodeId, data }) => [nodeId, data.reason, data.error, data.tries])).to.deep.equal([
      ['n0', 'account_unhealthy', 'away', 1],
      ['n0', 'account_unhealthy', 'away', 2],
    ]);
  });

  it('an account that is healthy again is tried at once, however often it failed', async () => {
    for (let round = 0; round < 6; round++) await tried();
    expect((await standing()).dueAt ?? 0).to.be.at.least(bench.clock.now() + 2 * HOUR);
    await change(bench, `update network_account set status = 'credentials_expired' where id = $1`, [at.account]);
    await change(bench, `update network_account set status = 'ok' where id = $1`, [at.account]);
    up = true;
    await passTime(bench, at.handle, 2 * 60_000, 60_000);
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['profile_view']);
  });

  it('the tries of one node are not counted at the next', async () => {
    for (let round = 0; round < 3; round++) await tried();
    await done();
    const [row] = await query<{ facts: Record<string, unknown> }>(bench, `select facts from run`);
    expect(row?.facts).to.not.have.any.keys('tries', 'failingSince');
  });
});
