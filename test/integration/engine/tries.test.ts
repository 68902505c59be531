import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { EXECUTOR_ENDED } from '../../../pkg/store/ledger.ts';
import { type Bench, enrol, openBench, query } from './harness.ts';
import { chain, HOUR, lead, type Place, place } from './place.ts';

const VIEW = { nodeType: 'network:profile_view' };
const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 24 * HOUR } };

describe('tries of an effect that was proven not to have happened', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: Place;
  let up: boolean;
  beforeEach(async () => {
    bench = await openBench();
    at = await place(bench, chain(VIEW, WAIT));
    up = false;
    at.network.onPerform = async (_action, perform) => {
      if (up) return perform();
      throw new ProviderError('unavailable_before_send', 'away');
    };
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
  });
  afterEach(() => bench.close());

  /** One try; `ended`: it failed because its executor ended. */
  async function tried(ended: boolean): Promise<void> {
    await bench.clock.advance(20 * 60_000);
    expect(await at.handle.engine.step()).to.equal(1);
    await at.handle.engine.settle();
    if (ended) await query(bench, `update send set error = $2 where workspace_id = $1`, [at.ws, EXECUTOR_ENDED]);
  }

  const standsAt = async (): Promise<string | undefined> =>
    (await query<{ nodeId: string }>(bench, `select node_id as "nodeId" from run where workspace_id = $1`, [at.ws]))[0]
      ?.nodeId;

  it('executors that ended do not count as failures of its own: after six of them it fails once and is tried again', async () => {
    for (let round = 0; round < 6; round++) await tried(true);
    await tried(false);
    up = true;
    await tried(false);
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['profile_view']);
    expect(await standsAt()).to.equal('n1');
  });

  it('five failures of its own are the end of it, whatever executors did between them', async () => {
    for (let round = 0; round < 4; round++) {
      await tried(false);
      await tried(true);
    }
    await tried(false);
    up = true;
    await at.handle.quiet();
    expect(at.network.received).to.deep.equal([]);
  });
});
