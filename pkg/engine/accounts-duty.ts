import { sleepReal } from '../base/clock.ts';
import { FencedError, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { ProductClock } from '../base/product-clock.ts';
import type { Database } from '../postgres/database.ts';
import type { NetworkProviders } from '../providers/network/network-providers.ts';
import { syncAccount } from './account-sync.ts';
import { ClaimKeeper } from './claim-keeper.ts';
import type { ClaimSource } from './claim-source.ts';

/** Real ms between looks for due accounts. */
const POLL_MS = 250;
/** Product ms that pass at once only when time jumps or runs fast. */
const JUMP_MS = 1_000;
/** Real ms between looks at least, also while time runs fast. */
const LEAST_MS = 10;
/** Accounts synced at once. */
const CONCURRENT = 2;
/** Product ms after which a failed sync is tried again. */
const RETRY_MS = 5 * 60_000;
/** Longest sync of one account, real ms. */
const SYNC_TIMEOUT_MS = 60_000;

export interface AccountsDutyDeps {
  db: Database;
  source: ClaimSource;
  clock: ProductClock;
  providers: NetworkProviders;
  newId: () => string;
  ingressUrl?: string | undefined;
  log: Logger;
  onClaim: (result: 'granted' | 'refused') => void;
}

/** Account sync for all accounts: each due one under a claim of its own, so that no two processes read one inbox. */
export async function runAccountsDuty(deps: AccountsDutyDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const lookedAt = deps.clock.now();
    const due = await deps.source.dueAccounts(50);
    for (let at = 0; at < due.length && !signal.aborted; at += CONCURRENT) {
      await Promise.all(due.slice(at, at + CONCURRENT).map((accountId) => syncOne(deps, accountId)));
    }
    if (due.length === 0) await nextLook(deps.clock, lookedAt, signal);
  }
}

/** Until the next look at the database, or sooner when product time jumps. */
async function nextLook(clock: ProductClock, lookedAt: number, signal: AbortSignal): Promise<void> {
  await sleepReal(LEAST_MS, signal).catch(() => undefined);
  // A jump between the look and now would otherwise be slept through.
  const left = JUMP_MS - (clock.now() - lookedAt);
  if (left <= 0) return;
  const local = new AbortController();
  const both = AbortSignal.any([signal, local.signal]);
  const waits = [sleepReal(POLL_MS, both), clock.sleep(left, both)];
  for (const wait of waits) wait.catch(() => undefined);
  await Promise.race(waits).catch(() => undefined);
  local.abort(new Error('awake'));
}

async function syncOne(deps: AccountsDutyDeps, accountId: string): Promise<void> {
  const grant = await deps.source.claim('account', accountId);
  deps.onClaim(grant ? 'granted' : 'refused');
  if (!grant) return sleepReal(POLL_MS);
  const claim = new ClaimKeeper(deps.db, accountId, grant);
  claim.start();
  const release = await deps.clock.hold();
  try {
    const late = sleepReal(SYNC_TIMEOUT_MS, claim.signal).then(() =>
      Promise.reject(new Error('took longer than 60 s')),
    );
    await Promise.race([syncAccount({ ...deps, claim }), late]);
  } catch (error) {
    if (!(error instanceof FencedError)) {
      deps.log.warn({ accountId, reason: messageOf(error) }, 'account sync failed');
      await postpone(deps, claim).catch(() => undefined);
    }
  } finally {
    release();
    await claim.release();
  }
}

async function postpone(deps: AccountsDutyDeps, claim: ClaimKeeper): Promise<void> {
  await claim.tx((tx) =>
    tx.exec('update account_wake set due_at = $2, hinted = false where account_id = $1', [
      claim.key,
      deps.clock.now() + RETRY_MS,
    ]),
  );
}
