import { expect } from 'chai';
import { recordAcceptance } from '../../../pkg/store/inbox/inbox.ts';
import { type Bench, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  lead,
  MINUTE,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

// The network says when a connection was made, by its own clock; a history that goes backwards explains nothing.
describe('engine: when somebody accepted', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let leadId: string;
  let asked: number;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  beforeEach(async () => {
    at = await workflowFixture(
      bench,
      chain({ nodeType: 'network:connection_request' }, { nodeType: 'network:wait_connection' }),
    );
    ({ leadId } = await lead(bench, at, false));
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    asked = bench.clock.now();
    await bench.clock.advance(10 * MINUTE);
  });

  /** The network says that they are connected since then. @returns times of the acceptances that the history tells */
  async function told(connectedAt: number): Promise<number[]> {
    const { person_id: personId, id } = await runOf(bench, leadId);
    const news = { now: bench.clock.now(), accountId: at.account, personId, providerId: 'p', at: connectedAt };
    await bench.app.tx({ kind: 'platform' }, (tx) => recordAcceptance(tx, news));
    await at.handle.quiet();
    expect((await runOf(bench, leadId)).end_reason).to.equal('ended after n1 (accepted)');
    const rows = await query<{ at: number }>(
      bench,
      `select at from run_event where run_id = $1 and kind = 'connection.accepted'`,
      [id],
    );
    return rows.map((row) => row.at);
  }

  it('is told as the network says', async () => {
    expect(await told(asked + MINUTE)).to.deep.equal([asked + MINUTE]);
  });

  it('is not before they were asked, though the clock of the network is behind', async () => {
    expect(await told(asked - MINUTE)).to.deep.equal([asked]);
  });

  it('is not in the future, though the clock of the network is ahead', async () => {
    expect(await told(bench.clock.now() + MINUTE)).to.deep.equal([bench.clock.now()]);
  });

  it('the one who was connected long before accepted nothing, and goes on', async () => {
    expect(await told(asked - 30 * DAY)).to.deep.equal([]);
  });
});
