import { expect } from 'chai';
import { countRealAccounts, markRehearsal } from '../../../pkg/store/restore/rehearsal.ts';
import { type Bench, change, enrol, openBench } from '../../fixtures/engine/harness.ts';
import { chain, lead, message, runOf, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

describe('rehearsal', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  for (const [provider, sent] of [
    ['unipile', 0],
    ['sandbox', 1],
  ] as const) {
    it(`the ledger sends ${sent === 0 ? 'nothing' : 'on'} through an account of ${provider}`, async () => {
      const at = await workflowFixture(bench, chain(message()));
      await change(bench, 'update network_account set provider = $1', [provider]);
      expect(await bench.app.tx({ kind: 'platform' }, countRealAccounts)).to.equal(1 - sent);
      await bench.app.tx({ kind: 'platform' }, markRehearsal);
      const { leadId } = await lead(bench, at);
      await enrol(bench, at.ws, at.flow, [leadId]);
      await at.handle.quiet();
      expect(at.network.received).to.have.length(sent);
      if (sent === 0) expect((await runOf(bench, leadId)).wait_reason).to.equal('account_unhealthy');
    });
  }
});
