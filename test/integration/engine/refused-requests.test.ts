import { expect } from 'chai';
import { ProviderError, type ProviderErrorKind } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { outcomeOf } from '../../fixtures/engine/node-outcome.ts';
import { chain, lead, runOf, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

const REQUEST = { nodeType: 'network:connection_request' };
const WAIT = { nodeType: 'network:wait_connection' };

// A look-up may be older than what the network knows when it is asked to connect.
describe('engine: the network refuses a connection request', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  async function refused(kind: ProviderErrorKind): Promise<string> {
    const edges = ['already_connected', 'already_pending'].map((branch) => ({
      sourceIndex: 0,
      targetIndex: 1,
      branch,
    }));
    const at = await workflowFixture(bench, { ...chain(REQUEST, WAIT), edges });
    const { leadId } = await lead(bench, at, false);
    at.network.onPerform = () => Promise.reject(new ProviderError(kind, 'said by the network'));
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    return leadId;
  }
  const relation = async (leadId: string): Promise<string | undefined> => {
    const { person_id } = await runOf(bench, leadId);
    const rows = await query<{ state: string }>(bench, 'select state from relation where person_id = $1', [person_id]);
    return rows[0]?.state;
  };

  it('a person who is connected already is known to be: who waits for the connection goes on', async () => {
    const leadId = await refused('already_connected');
    expect(await outcomeOf(bench, leadId, 'n0')).to.deep.include({ outcome: 'already_connected' });
    expect(await outcomeOf(bench, leadId, 'n1')).to.deep.include({ outcome: 'accepted' });
    expect(await relation(leadId)).to.equal('connected');
    // Nobody accepted what was refused.
    expect(await query(bench, `select 1 from run_event where kind = 'connection.accepted'`)).to.have.length(0);
  });

  it('a request that waits already is known to: who waits for the connection goes on waiting', async () => {
    const leadId = await refused('already_pending');
    expect(await outcomeOf(bench, leadId, 'n0')).to.deep.include({ outcome: 'already_pending' });
    expect(await outcomeOf(bench, leadId, 'n1')).to.equal(undefined);
    expect(await relation(leadId)).to.equal('pending');
  });

  it('any other refusal says nothing of the relation', async () => {
    const leadId = await refused('rejected');
    expect(await outcomeOf(bench, leadId, 'n0')).to.deep.include({ outcome: 'failed' });
    expect(await relation(leadId)).to.equal('none');
  });
});
