import { expect } from 'chai';
import { type NetworkAction, ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, change, enrol, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import {
  HOUR,
  lead,
  MINUTE,
  viewThenWait,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

describe('after an outage of the provider', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: WorkflowFixture;
  /** What becomes of an action; undefined: it goes through. */
  let refusal: (action: NetworkAction) => ProviderError | undefined;
  const away = (): ProviderError => new ProviderError('unavailable_before_send', 'away');
  beforeEach(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, viewThenWait);
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    refusal = away;
    at.network.onPerform = async (action, perform) => {
      const error = refusal(action);
      if (error) throw error;
      return perform();
    };
  });
  afterEach(() => bench.close());

  async function enrolled(people: number): Promise<string[]> {
    const publicIds: string[] = [];
    for (let count = 0; count < people; count++) {
      const { leadId, publicId } = await lead(bench, at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      publicIds.push(publicId);
    }
    return publicIds;
  }

  /** Waits of all that are still at their action, in minutes from now. */
  const waits = async (): Promise<number[]> => {
    const rows = await query<{ ms: number }>(
      bench,
      `select (due_at - $2)::float8 as ms from run where workspace_id = $1 and node_id = 'n0' order by due_at`,
      [at.ws, bench.clock.now()],
    );
    return rows.map(({ ms }) => Math.round(ms / MINUTE));
  };

  /** Time passes to the one who is due next, who is tried. */
  async function nextTry(): Promise<void> {
    const [first = 0] = await waits();
    await bench.clock.advance(Math.max(0, first + 1) * MINUTE);
    await at.handle.quiet();
  }

  /** Everybody fails for so many hours. */
  async function outage(hours: number): Promise<void> {
    const until = bench.clock.now() + hours * HOUR;
    while (bench.clock.now() < until) await nextTry();
  }

  /** The first try goes through, and so do the others in the five minutes that anybody waits after a failure. */
  async function over(people: readonly string[]): Promise<void> {
    refusal = () => undefined;
    await nextTry();
    expect(Math.max(0, ...(await waits())), 'minutes that somebody waits').to.be.at.most(5);
    await bench.clock.advance(6 * MINUTE);
    await at.handle.quiet();
    expect(done()).to.have.members(people);
  }

  const done = (): string[] => at.network.received.map((one) => one.publicId);

  it('the first action that goes through brings the others forward, who would have waited for hours', async () => {
    const people = await enrolled(8);
    await outage(12);
    expect(Math.max(...(await waits())), 'minutes that somebody waits').to.be.above(60);
    await over(people);
  });

  it('they come at the pace of their account, each at a moment that its run names', async () => {
    const people = await enrolled(8);
    await outage(12);
    await change(bench, `update network_account set pacing = null`);
    refusal = () => undefined;
    while (done().length === 0) await nextTry();
    const promised = await waits();
    expect(promised).to.have.length(7);
    expect(Math.max(...promised), 'minutes').to.be.within(2, 60);
    while (done().length < people.length) await nextTry();
    expect(await waits()).to.deep.equal([]);
    expect(done()).to.have.members(people);
  });

  it('an executor that took over in the outage does the same: it asks the database', async () => {
    const people = await enrolled(8);
    await outage(12);
    bench.kept.splice(0).forEach((claim) => {
      claim.stop();
    });
    at.handle = await openEngine(bench, at.ws, at.network);
    await over(people);
  });

  it('outcomes that could not be looked up are looked up at once', async () => {
    const lookUp = at.network.lookupOutcome.bind(at.network);
    at.network.lookupOutcome = () => Promise.reject(away());
    refusal = () => new ProviderError('unknown_outcome', 'no answer');
    await enrolled(1);
    await at.handle.quiet();
    for (let failed = 0; failed < 6; failed++) {
      await change(bench, `update send set lookup_after = clock_timestamp()`);
      await at.handle.lookUp();
    }
    expect(await at.handle.lookUp(), 'none is due').to.equal(0);
    at.network.lookupOutcome = lookUp;
    refusal = () => undefined;
    await enrolled(1);
    await at.handle.quiet();
    expect(done()).to.have.length(1);
    await at.handle.lookUp();
    expect(at.network.lookups).to.equal(1);
  });

  it('one person for whom alone the provider fails is not woken by those who go through', async () => {
    const [poisoned = ''] = await enrolled(1);
    refusal = ({ publicId }) => (publicId === poisoned ? away() : undefined);
    await outage(6);
    const [wait = 0] = await waits();
    for (let more = 0; more < 4; more++) {
      await enrolled(1);
      await at.handle.quiet();
    }
    expect(done()).to.have.length(4);
    expect(await waits()).to.deep.equal([wait]);
  });

  it('who was refused because of a limit waits as long as the network asked', async () => {
    await enrolled(4);
    refusal = () => new ProviderError('unavailable_before_send', 'come again', 3 * HOUR);
    await at.handle.quiet();
    const before = await waits();
    refusal = () => undefined;
    await enrolled(1);
    await at.handle.quiet();
    expect(done()).to.have.length(1);
    expect(await waits()).to.deep.equal(before);
  });

  it('who failed a moment ago waits the five minutes, so that a provider that comes and goes is not hammered', async () => {
    await enrolled(5);
    await at.handle.quiet();
    const before = await waits();
    refusal = () => undefined;
    await nextTry();
    expect(before[0]).to.be.within(5, 7);
    expect(done().length).to.be.within(1, 5);
    for (const action of await query<{ tries: number }>(
      bench,
      `select count(*)::int as tries from send group by run_id`,
    ))
      expect(action.tries).to.be.at.most(2);
  });
});
