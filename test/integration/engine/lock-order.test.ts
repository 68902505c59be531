import { expect } from 'chai';
import pg from 'pg';
import { type ClaimRequest, dispatchSends, recoverSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, openBench, takeLease } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import { eventually } from '../../tools/kube.ts';

/** The one who waits for a row holds none that comes after it: runs, the pace of accounts, their budgets, accounts, each by its id. */
describe('engine: rows are locked in one order', function () {
  this.timeout(60_000);
  let bench: Bench;
  let at: LedgerWorkflow;
  let low: string;
  let high: string;
  let holder: pg.Client;
  let other: pg.Client;
  const { workflowFixture, runs, request, claim } = ledgerTools(() => bench);

  beforeEach(async () => {
    bench = await openBench();
    at = await workflowFixture();
    [low = '', high = ''] = [await addAccount(bench.app, [at.ws]), await addAccount(bench.app, [at.ws])].sort();
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    holder = new pg.Client({ connectionString: bench.ownerUrl });
    other = new pg.Client({ connectionString: bench.ownerUrl });
    await Promise.all([holder.connect(), other.connect()]);
  });
  afterEach(async () => {
    await Promise.all([holder.end(), other.end()]);
    await bench.close();
  });

  async function claimed(...wanted: [account: string, action: string][]): Promise<ClaimRequest[]> {
    const ids = await runs(at, wanted.length);
    const requests = wanted.map(([account, action], index) => request(ids[index] ?? '', account, action));
    const answers = await claim(at, requests);
    expect(answers.map(({ granted }) => granted)).to.deep.equal(wanted.map(() => true));
    return requests;
  }

  /** Whether `free` can be locked while `work` waits for `held`. */
  async function whileItWaits(held: string, work: () => Promise<unknown>, free: string): Promise<string> {
    await holder.query(`begin; ${held} for no key update`);
    const working = work();
    await eventually(
      'it waits',
      async () => (await other.query('select 1 from pg_locks where not granted')).rowCount !== 0,
    );
    const answer = await other.query(`${free} for no key update nowait`).then(
      () => 'free',
      (error: Error) => error.message,
    );
    await holder.query('rollback');
    await working;
    return answer;
  }

  const dispatched = (requests: ClaimRequest[]) => () =>
    at.claim.tx((tx) =>
      dispatchSends(
        tx,
        bench.clock.now(),
        requests.map((one) => one.sendId),
      ),
    );
  const row = (table: string, key: string, id: string): string =>
    `select 1 from outrider.${table} where ${key} = '${id}'`;

  it('accounts of messages and of visits that are dispatched together', async () => {
    const sends = await claimed([high, 'message'], [low, 'profile_view']);
    const free = row('network_account', 'id', high);
    expect(await whileItWaits(row('network_account', 'id', low), dispatched(sends), free)).to.equal('free');
  });

  it('mailboxes that mails are dispatched through, and accounts that get units back', async () => {
    const sends = await claimed([high, 'message'], [low, 'mail']);
    await change(bench, `update run set state = 'paused' where id = $1`, [sends[0]?.runId]);
    const free = row('account_pacing', 'account_id', high);
    expect(await whileItWaits(row('account_pacing', 'account_id', low), dispatched(sends), free)).to.equal('free');
  });

  it('runs whose sends a takeover undoes, and the accounts that get units back', async () => {
    const [send] = await claimed([low, 'message']);
    await change(bench, 'update claim set expires_at = clock_timestamp()');
    const heir = await takeLease(bench, at.ws, 'pod-2');
    const taken = () => heir.tx((tx) => recoverSends(tx, bench.clock.now(), 500));
    const free = row('account_pacing', 'account_id', low);
    expect(await whileItWaits(row('run', 'id', send?.runId ?? ''), taken, free)).to.equal('free');
    heir.stop();
  });
});
