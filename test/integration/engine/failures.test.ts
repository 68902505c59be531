import { expect } from 'chai';
import pg from 'pg';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import { chain, lead, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

describe('what failed gives its units back', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  it('when nobody works on its account; what others settle does not wait for that', async () => {
    const at = await workflowFixture(bench, chain({ nodeType: 'network:profile_view' }));
    const second = await addAccount(bench.app, [at.ws]);
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    const people = [await lead(bench, at), await lead(bench, at)];
    await enrol(
      bench,
      at.ws,
      at.flow,
      people.map((one) => one.leadId),
    );
    await change(bench, 'update run set account_id = $1 where lead_id = $2', [at.account, people[0]?.leadId]);
    await change(bench, 'update run set account_id = $1 where lead_id = $2', [second, people[1]?.leadId]);
    const other = new pg.Client({ connectionString: bench.ownerUrl });
    await other.connect();
    let held = false;
    at.network.onPerform = async (action, perform) => {
      if (action.publicId === people[1]?.publicId) return perform();
      // Somebody's batch claims through this account while the provider refuses.
      await other.query('begin');
      await other.query('select 1 from outrider.account_pacing where account_id = $1 for update', [at.account]);
      held = true;
      throw new ProviderError('unsupported', 'refused');
    };
    await at.handle.engine.step();
    const states = (): Promise<{ state: string }[]> => query(bench, 'select state from send order by state');
    const told = async (): Promise<string> => (await states()).map((row) => row.state).join();
    // The other one is confirmed while this one waits for its account.
    while (!held || (await told()) !== 'confirmed,dispatched') await new Promise((resolve) => setImmediate(resolve));
    expect(await told()).to.equal('confirmed,dispatched');
    await other.query('commit');
    await other.end();
    await at.handle.engine.settle();
    expect(await told()).to.equal('confirmed,failed');
    const used = await query(bench, 'select account_id as id, used[1] as used from account_budget order by used[1]');
    expect(used).to.deep.equal([
      { id: at.account, used: 0 },
      { id: second, used: 1 },
    ]);
  });

  it('locks runs before accounts, as the one who stops a run does: neither ends the other as a deadlock', async () => {
    const at = await workflowFixture(bench, chain({ nodeType: 'network:profile_view' }));
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    const other = new pg.Client({ connectionString: bench.ownerUrl });
    await other.connect();
    at.network.onPerform = async () => {
      await other.query('begin');
      await other.query('select 1 from outrider.run where lead_id = $1 for no key update', [leadId]);
      throw new ProviderError('unsupported', 'refused');
    };
    await at.handle.engine.step();
    const waiting = 'select 1 from pg_locks where not granted';
    while ((await other.query(waiting)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve));
    await other.query('select 1 from outrider.account_pacing where account_id = $1 for update nowait', [at.account]);
    await other.query('commit');
    await other.end();
    await at.handle.engine.settle();
    expect(await query(bench, 'select state from send')).to.deep.equal([{ state: 'failed' }]);
  });
});
