import { expect } from 'chai';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import {
  chain,
  lead,
  message,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

interface Letter {
  state: string;
  dead_letter_state: string;
  error: string;
}

describe("before anything leaves, the target is held against the lead's own profile", function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: WorkflowFixture;
  beforeEach(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, chain(message()));
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
  });
  afterEach(() => bench.close());

  /** A lead whom the account met under this id, as a profile that `proven` names. */
  async function met(providerId: (publicId: string) => string, proven: (publicId: string) => string | null) {
    const { leadId } = await lead(bench, at);
    const [row] = await query<{ profile_id: string }>(bench, 'select profile_id from lead where id = $1', [leadId]);
    const publicId = row?.profile_id ?? '';
    at.network.connected.add(publicId);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await change(
      bench,
      `insert into relation (account_id, person_id, provider_id, profile_id, state)
       select $1, person_id, $2, $3, 'connected' from run where lead_id = $4`,
      [at.account, providerId(publicId), proven(publicId), leadId],
    );
    at.network.lookups = 0;
    return { leadId, publicId };
  }

  it('a difference is a dead letter that names both, and nothing leaves', async () => {
    const { leadId, publicId } = await met(
      () => 'ACosomebody-else',
      () => null,
    );
    await at.handle.quiet();
    expect(at.network.received).to.deep.equal([]);
    const [letter] = await query<Letter>(
      bench,
      'select state, dead_letter_state, error from send where lead_id = $1 and dead_letter_at is not null',
      [leadId],
    );
    expect(letter).to.include({ state: 'failed', dead_letter_state: 'open' });
    expect(letter?.error).to.contain(`ACo${publicId}`).and.to.contain('ACosomebody-else');
    expect((await runOf(bench, leadId)).state).to.not.equal('completed');
  });

  it('an id that was found under another profile counts as not proven', async () => {
    const { leadId } = await met(
      () => 'ACosomebody-else',
      () => 'somebody-else',
    );
    await at.handle.quiet();
    expect(at.network.received).to.deep.equal([]);
    expect(
      await query(bench, `select 1 from send where lead_id = $1 and dead_letter_state = 'open'`, [leadId]),
    ).to.have.length(1);
  });

  it('an id that nobody has proved is looked up once and goes on when it is the same', async () => {
    const { publicId } = await met(
      (id) => `ACo${id}`,
      () => null,
    );
    await at.handle.quiet();
    expect(at.network.received.map((one) => one.publicId)).to.deep.equal([publicId]);
    expect(await query(bench, 'select profile_id from relation where account_id = $1', [at.account])).to.deep.equal([
      { profile_id: publicId.toLowerCase() },
    ]);
  });
});
