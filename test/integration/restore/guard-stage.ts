import { Registry } from 'prom-client';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { RestoreKeeper } from '../../../pkg/controllers/restore/restore-keeper.ts';
import type { Vault } from '../../../pkg/controllers/restore/vault.ts';
import type { OutsideRecord } from '../../../pkg/domain/restore-guard.ts';
import { AccountGuard } from '../../../pkg/engine/restore/account-guard.ts';
import { type ReconcileReport, reconcile } from '../../../pkg/engine/restore/reconcile.ts';
import { createOperatorMetrics } from '../../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import type { BehindResource } from '../../../pkg/store/restore/restore-guard.ts';
import { type Bench, change, query } from '../engine/harness.ts';
import type { Place } from '../engine/place.ts';

/** Keeps the record in memory; tests look at it and turn it back. */
export class MemoryVault implements Vault {
  readonly name = 'memory';
  /** What is written gets lost, as when its writer is killed first. */
  deaf = false;
  record: OutsideRecord | null = null;
  read(): Promise<OutsideRecord | null> {
    return Promise.resolve(this.record);
  }
  write(record: OutsideRecord): Promise<void> {
    if (!this.deaf) this.record = record;
    return Promise.resolve();
  }
}

/** @param behind resources that are older than their rows, so many at most */
export function keeperOf(
  bench: Bench,
  vault: Vault,
  behind: (most: number) => BehindResource[] = () => [],
): RestoreKeeper {
  return new RestoreKeeper({
    db: bench.app,
    clocks: { real: new SystemClock(), product: bench.clock },
    vaults: [vault],
    behind: (most) => Promise.resolve(behind(most)),
    onChange: () => undefined,
    log: createLogger('test', 'silent'),
    metrics: createOperatorMetrics(new Registry()),
  });
}

/** One look of a guard that remembers nothing. */
export const guard = (at: Place): Promise<void> => new AccountGuard(at.handle.deps).check();

/** As if accounts had been compared before the last start of Postgres. */
export const accountsRestarted = (bench: Bench): Promise<number> =>
  change(bench, `update account_guard set checked_start = checked_start - interval '1 hour'`);

export const freezes = (bench: Bench): Promise<{ scope: string; target: string; reason: string }[]> =>
  query(bench, 'select scope, target, reason from send_freeze order by scope');

/** What `outrider reconcile` does, with the place's network. */
export async function reconciled(bench: Bench, at: Place): Promise<ReconcileReport> {
  const db = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
  const { newId } = at.handle.deps;
  try {
    return await reconcile({ db, providers: () => at.network, now: () => bench.clock.now(), newId, dryRun: false });
  } finally {
    await db.close();
  }
}
