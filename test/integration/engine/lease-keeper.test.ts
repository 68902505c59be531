import { expect } from 'chai';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { LEASE, LeaseKeeper } from '../../../pkg/engine/lease/lease-keeper.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { type Bench, change, grant, openBench, query, takeLease } from '../../fixtures/engine/harness.ts';
import { addWorkspace } from '../../fixtures/engine/rows.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

describe('claim of an executor', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('renewal keeps it, a takeover fences the holder at its next transaction', async () => {
    const ws = await addWorkspace(bench.app);
    const first = await takeLease(bench, ws, 'pod-1');
    await first.renew();
    expect(first.signal.aborted).to.equal(false);
    await change(bench, `update claim set expires_at = clock_timestamp() - interval '1 second' where key = $1`, [ws]);
    const second = await takeLease(bench, ws, 'pod-2');
    expect(second.epoch).to.equal(first.epoch + 1);
    const refused = await first.tx((tx) => tx.rows('select 1')).catch((error: Error) => error.name);
    expect(refused).to.equal('FencedError');
    expect(first.signal.aborted).to.equal(true);
  });

  it('a renewal after a takeover fences too, and release gives the claim back at once', async () => {
    const ws = await addWorkspace(bench.app);
    const first = await takeLease(bench, ws, 'pod-1');
    const again = await takeLease(bench, ws, 'pod-1');
    await first.renew();
    expect(first.signal.aborted).to.equal(true);
    await again.release();
    const [row] = await query<{ holder: string | null }>(bench, 'select holder from claim where key = $1', [ws]);
    expect(row?.holder).to.equal(null);
  });

  it('a clock that is far off the database’s fences: its days and hours are not those of the others', async () => {
    const real = new SystemClock();
    const renewed = async (aheadMs: number): Promise<string> => {
      const { token, epoch } = await grant(bench, await addWorkspace(bench.app));
      const machine = new FakeClock(real.now() + aheadMs);
      const claim = new LeaseKeeper(bench.executor, 'x', { token, epoch }, undefined, LEASE, machine);
      await claim.renew();
      return claim.signal.aborted ? (claim.signal.reason as Error).message : 'held';
    };
    const MINUTE = 60_000;
    expect(await renewed(0)).to.equal('held');
    expect(await renewed(5 * MINUTE)).to.equal('held');
    expect(await renewed(60 * MINUTE)).to.match(
      /^the clock of this process is 3[56]\d\d s ahead of the database's; set both machines by NTP$/,
    );
    expect(await renewed(-60 * MINUTE)).to.match(/ s behind the database's/);
  });

  it('the operator’s wish to drain reaches the holder with its renewal', async () => {
    const ws = await addWorkspace(bench.app);
    let drained = false;
    const claim = await takeLease(bench, ws, 'pod-1', 'workspace', () => {
      drained = true;
    });
    await change(bench, 'update claim set drain_epoch = epoch where key = $1', [ws]);
    await claim.renew();
    expect(drained).to.equal(true);
  });

  it('two that wait for each other: the one that the database ends runs again, and both are done', async () => {
    const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ws = await addWorkspace(bench.app);
    await change(
      bench,
      `insert into source_feed (workspace_id, workflow_id, node_id, feed_date) select $1, $1, n::text, '2026-01-01' from generate_series(0, 1) n`,
      [ws],
    );
    const lock = (tx: Tx, place: number): Promise<unknown> =>
      tx.rows('select 1 from source_feed where node_id = $1 for update', [String(place)]);
    let runs = 0;
    const claim = await takeLease(bench, ws, 'pod-1');
    const crossing = async (own: number, other: number): Promise<void> => {
      await claim.tx(async (tx) => {
        runs++;
        await lock(tx, own);
        met[own]?.resolve();
        await met[other]?.promise;
        await lock(tx, other);
      });
    };
    await Promise.all([crossing(0, 1), crossing(1, 0)]);
    expect(runs).to.equal(3);
  });
});
