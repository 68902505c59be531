import { expect } from 'chai';
import { dispatchSends, settleSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, openBench, query } from '../../fixtures/engine/harness.ts';
import { ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';

describe('engine: open sends', () => {
  let bench: Bench;
  const { workflowFixture, runs, request, claim } = ledgerTools(() => bench);

  before(async () => {
    bench = await openBench();
  });
  after(async () => {
    await bench.close();
  });

  it('the table of open sends follows every writer: claimed, dispatched, unknown, settled, taken back, deleted', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    const now = bench.clock.now();
    const wishes = (await runs(at, 4)).map((run) => request(run, account, 'profile_view'));
    const [confirmed, failed, unknown, dropped] = wishes.map((wish) => wish.sendId);
    if (!confirmed || !failed || !unknown || !dropped) throw new Error('four sends are needed');
    const names = new Map([
      [confirmed, 'confirmed'],
      [failed, 'failed'],
      [unknown, 'unknown'],
      [dropped, 'dropped'],
    ]);
    const open = async (): Promise<(string | undefined)[]> =>
      (await query<{ send_id: string }>(bench, 'select send_id from open_send where workspace_id = $1', [at.ws]))
        .map((row) => names.get(row.send_id))
        .sort();
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}' where id = $1`, [account]);
    await claim(at, wishes);
    expect(await open(), 'claimed').to.deep.equal(['confirmed', 'dropped', 'failed', 'unknown']);
    await at.claim.tx((tx) => dispatchSends(tx, now, [confirmed, failed, unknown]));
    await at.claim.tx((tx) =>
      settleSends(tx, now, [
        { sendId: confirmed, result: 'confirmed', outcome: 'done' },
        { sendId: failed, result: 'failed', outcome: 'failed' },
        { sendId: unknown, result: 'unknown', lookupAfterMs: 1_000 },
      ]),
    );
    expect(await open(), 'settled').to.deep.equal(['dropped', 'unknown']);
    await change(bench, 'update send set settled_at = null where id = $1', [failed]);
    expect(await open(), 'taken back').to.deep.equal(['dropped', 'failed', 'unknown']);
    await change(bench, 'delete from send where id = $1', [dropped]);
    await at.claim.tx((tx) => settleSends(tx, now, [{ sendId: unknown, result: 'confirmed', outcome: 'done' }]));
    expect(await open(), 'deleted, and found out').to.deep.equal(['failed']);
  });

  it('nothing that dispatch and settlement change stands in an index of the ledger, so that they make no entries there', async () => {
    const indexes = await query<{ indexdef: string }>(
      bench,
      `select indexdef from pg_indexes where schemaname = 'outrider' and tablename = 'send'`,
    );
    expect(indexes.length).to.be.greaterThan(3);
    // A dead letter is opened by a person's waiting, not by what every send goes through.
    const others = indexes.map((index) => index.indexdef).filter((text) => !/dead_letter_/.test(text));
    for (const text of others) {
      expect(text).not.to.match(/settled_at|dispatched|\bstate\b|outcome|error|provider_ref|lookup|maybe|target/);
    }
  });
});
