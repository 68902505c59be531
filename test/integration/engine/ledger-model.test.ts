import { expect } from 'chai';
import { claimSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, openBench, takeLease } from '../../fixtures/engine/harness.ts';
import { LedgerWorld } from '../../fixtures/engine/ledger-world.ts';
import { claimByModel } from './ledger-model/ledger-model.ts';

/** Seeds of worlds, and the batches that each of them plays; a longer list by hand. */
const SEEDS = (process.env['LEDGER_SEEDS'] ?? 'one,three').split(',');
const BATCHES = Number(process.env['LEDGER_BATCHES'] ?? 60);

/** What the batches of a run have to meet, so that the comparison says something about each rule. */
const MET = [
  'granted',
  'account_unhealthy',
  'already_sent',
  'budget',
  'business_hours',
  'claim_held_elsewhere',
  'company_limit',
  'pacing',
  'recontact',
  'send_freeze',
  'suppressed',
];

describe('claims of sends, compared with the rules in TypeScript', function () {
  this.timeout(600_000);
  let bench: Bench;
  const met = new Map<string, number>();
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  for (const seed of SEEDS) {
    it(`answer and leave behind what the rules say, whatever happened before (seed ${seed})`, async () => {
      const world = await LedgerWorld.open(bench.ownerUrl, seed);
      const claim = await takeLease(bench, world.workspace);
      try {
        for (let count = 0; count < BATCHES; count++) {
          await claim.renew();
          await world.stir();
          const requests = await world.batch();
          const expected = claimByModel(await world.state(), world.workspace, world.now, requests);
          const answers = await claim.tx((tx) => claimSends(tx, world.now, requests), { lookups: true });
          expect(answers, `batch ${count} at ${world.now}`).to.have.deep.members(expected.answers);
          expect(await world.state(), `rows after batch ${count}`).to.deep.equal(expected.state);
          for (const { refusal } of answers) met.set(refusal ?? 'granted', (met.get(refusal ?? 'granted') ?? 0) + 1);
        }
      } finally {
        claim.stop();
        await world.close();
      }
    });
  }

  it('meet every reason', () => {
    if (process.env['LEDGER_BATCHES']) console.log(Object.fromEntries(met));
    expect([...met.keys()]).to.include.members(MET);
  });
});
