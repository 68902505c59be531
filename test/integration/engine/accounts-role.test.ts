import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { accountsOf, grantOf, type LeaseSource } from '../../../pkg/engine/lease/lease-source.ts';
import { runAccountsRole } from '../../../pkg/engine/sync/accounts-role.ts';
import { LeaseDesk } from '../../../pkg/store/leases/lease-desk.ts';
import { wakeAccount } from '../../../pkg/store/runs/wake.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, change, openBench, query, TestClock } from '../../fixtures/engine/harness.ts';
import { addAccount, addWorkspace } from '../../fixtures/engine/rows.ts';

/** Accounts that the role asks for at a time, at least. */
const AT_A_TIME = 50;

describe('account sync of many accounts', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  it('those of a provider that is not configured here are left for a while: the others have their turn', async () => {
    const workspace = await addWorkspace(bench.app);
    const strange: string[] = [];
    for (let n = 0; n < AT_A_TIME; n++) strange.push(await addAccount(bench.app, [workspace]));
    await change(bench, `update network_account set provider = 'unipile'`);
    const known = await addAccount(bench.app, [workspace]);
    await bench.app.tx({ kind: 'platform' }, async (tx) => {
      for (const id of strange) await wakeAccount(tx, id, bench.clock.now() - 1);
      await wakeAccount(tx, known, bench.clock.now());
    });
    const desk = new LeaseDesk(bench.app, bench.clock);
    const identity = { podUid: 'accounts-pod', role: 'accounts' } as const;
    const network = new FakeNetwork();
    const sync = async (): Promise<void> => {
      const stop = new AbortController();
      let looks = 0;
      const source: LeaseSource = {
        onWake: () => undefined,
        claim: async (kind, key) => grantOf(await desk.answer({ type: 'claim', kind, key }, identity)),
        dueAccounts: async (limit) => {
          if (++looks === 3) stop.abort(new Error('seen enough'));
          return accountsOf(await desk.answer({ type: 'due-accounts', limit }, identity));
        },
      };
      await runAccountsRole(
        {
          db: bench.executor,
          source,
          clock: bench.clock,
          providers: (provider) => (provider === 'sandbox' ? network : undefined),
          newId: () => randomUUID(),
          log: createLogger('test', 'silent'),
          onLease: () => undefined,
        },
        stop.signal,
      );
    };
    await sync();
    const read = 'select account_id as id from account_wake where last_synced_at is not null';
    expect(await query(bench, read)).to.deep.equal([{ id: known }]);
    // Since when each fails, and why, is kept until a round ends well.
    const failing = (): Promise<{ since: string; why: string; count: number }[]> =>
      query(
        bench,
        `select sync_state ->> 'failingSince' as since, sync_state ->> 'failure' as why, count(*)::int as count from account_wake
         where sync_state ->> 'failingSince' is not null group by 1, 2`,
      );
    const since = String(bench.clock.now());
    const why = 'the provider unipile is not configured in this process';
    expect(await failing()).to.deep.equal([{ since, why, count: AT_A_TIME }]);
    await bench.clock.advance(10 * 60_000);
    await sync();
    expect(await failing(), 'it still fails').to.deep.equal([{ since, why, count: AT_A_TIME }]);
    await change(bench, `update network_account set provider = 'sandbox'`);
    await bench.clock.advance(10 * 60_000);
    await sync();
    await sync();
    expect(await failing()).to.deep.equal([]);
  });

  it('a machine whose clock is an hour off reads no account: it would put the next look off as far', async () => {
    const known = await addAccount(bench.app, [await addWorkspace(bench.app)]);
    await bench.app.tx({ kind: 'platform' }, (tx) => wakeAccount(tx, known, 1));
    const asked = (): Promise<never> => Promise.reject(new Error('it asks for accounts'));
    const role = runAccountsRole(
      {
        db: bench.executor,
        source: { onWake: () => undefined, claim: asked, dueAccounts: asked },
        clock: Object.assign(new TestClock(new SystemClock().now() + 3_600_000), { steady: true as const }),
        providers: () => undefined,
        newId: () => randomUUID(),
        log: createLogger('test', 'silent'),
        onLease: () => undefined,
      },
      new AbortController().signal,
    );
    const refused = await role.then(String, (error: Error) => `${error.name}: ${error.message}`);
    expect(refused).to.match(/^FencedError: the clock of this process is 3[56]\d\d s ahead of the database's/);
  });
});
