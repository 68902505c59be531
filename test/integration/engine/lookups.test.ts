import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, change, enrol, openBench, passTime } from '../../fixtures/engine/harness.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import {
  chain,
  HOUR,
  lead,
  MINUTE,
  message,
  sendsOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

const ACCOUNTS = 3;

describe('engine: look-ups of many sends', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: WorkflowFixture;
  before(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, chain(message()));
    const accounts = [at.account];
    while (accounts.length < ACCOUNTS) accounts.push(await addAccount(bench.app, [at.ws]));
    at.network.onPerform = async (_action, perform) => {
      perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    const leads: string[] = [];
    for (let person = 0; person < 4 * ACCOUNTS; person++) leads.push((await lead(bench, at)).leadId);
    await enrol(bench, at.ws, at.flow, leads);
    // In turn: drawn by lead, now and then one of them would have nobody.
    await change(
      bench,
      `update run r set account_id = ($1::text[])[1 + n.g % ${ACCOUNTS}] from (select id, row_number() over () as g from run) n where n.id = r.id`,
      [accounts],
    );
    await passTime(bench, at.handle, 4 * HOUR, MINUTE);
  });
  after(() => bench.close());

  it('accounts are asked side by side, so that one whose network is slow keeps nobody else waiting; each is asked for one at a time', async () => {
    const answers = at.network.lookupOutcome.bind(at.network);
    const of = (account: string): number => at.network.received.filter((one) => one.account === account).length;
    const accounts = [...new Set(at.network.received.map((one) => one.account))];
    expect(accounts, 'each account sent to somebody').to.have.length(ACCOUNTS);
    const [slow = '', ...quick] = accounts;
    const othersDone = Promise.withResolvers<void>();
    const asked = new Map<string, number>();
    const now = new Map<string, number>();
    let most = 0;
    at.network.lookupOutcome = async (account, ...given) => {
      const { externalId } = account;
      asked.set(externalId, (asked.get(externalId) ?? 0) + 1);
      now.set(externalId, (now.get(externalId) ?? 0) + 1);
      most = Math.max(most, now.get(externalId) ?? 0);
      if (quick.every((one) => asked.get(one) === of(one))) othersDone.resolve();
      if (externalId === slow) await othersDone.promise;
      now.set(externalId, (now.get(externalId) ?? 0) - 1);
      return answers(account, ...given);
    };
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    expect(await at.handle.lookUp()).to.equal(4 * ACCOUNTS);
    expect(most, 'at a time for one account').to.equal(1);
    expect(new Set((await sendsOf(bench, at.ws)).map((send) => send.state))).to.deep.equal(new Set(['confirmed']));
  });
});
