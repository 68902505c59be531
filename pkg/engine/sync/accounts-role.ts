import { sleepReal } from '../../base/clock.ts';
import { FencedError, messageOf } from '../../base/errors.ts';
import { type Logger, mask } from '../../base/log.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import type { Database } from '../../postgres/database.ts';
import type { NetworkProviders } from '../../providers/network/network-providers.ts';
import { syncFailed } from '../../store/accounts/account-sync.ts';
import { LeaseKeeper } from '../lease/lease-keeper.ts';
import type { LeaseSource } from '../lease/lease-source.ts';
import { requireClock } from '../machine-clock.ts';
import type { MailDesk } from '../mail/mail-desk.ts';
import { syncAccount } from './account-sync.ts';

/** Real ms between looks for due accounts where no hint comes. */
const POLL_MS = 1_000;
/** Real ms before an account that somebody else holds is asked for again. */
const REFUSED_MS = 250;
/** Where nobody knows when the next account is due: product ms that pass at once only when time jumps. */
const JUMP_MS = 1_000;
/** Real ms between looks at least, also while time runs fast. */
const LEAST_MS = 10;
/** Accounts synced at once. */
const CONCURRENT = 4;
/** Product ms after which a failed sync is tried again. */
const RETRY_MS = 5 * 60_000;
/** Longest sync of one account, real ms. */
const SYNC_TIMEOUT_MS = 60_000;

export interface AccountsRoleDeps {
  db: Database;
  source: LeaseSource;
  clock: ProductClock;
  providers: NetworkProviders;
  mail?: MailDesk | undefined;
  newId: () => string;
  ingressUrl?: string | undefined;
  log: Logger;
  onLease: (result: 'granted' | 'refused') => void;
}

/**
 * Account sync for all accounts: each due one under a claim of its own, so that no two processes read one inbox.
 * @throws FencedError when the clock of this machine is far off
 */
export async function runAccountsRole(deps: AccountsRoleDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await clocksAgree(deps))) await sleepReal(POLL_MS, signal).catch(() => undefined);
  const underWay = new Map<string, Promise<void>>();
  try {
    while (!signal.aborted) {
      const lookedAt = deps.clock.now();
      // Before the look: a hint during it makes the next one come at once.
      const hinted = nextHint(deps.source);
      const look = await until(signal, deps.source.dueAccounts(50), { accountIds: [], nextAt: null });
      const due = look.accountIds.filter((id) => !underWay.has(id));
      for (const accountId of due) {
        if (underWay.size >= CONCURRENT) await Promise.race(underWay.values());
        if (signal.aborted) break;
        const lane = inLane(underWay, accountId, syncOne(deps, accountId, signal));
        lane.catch(() => undefined);
        underWay.set(accountId, lane);
      }
      if (underWay.size > 0) await lanesEnd(underWay, due.length === 0 ? hinted : null, signal);
      else if (due.length === 0) await nextLook(deps.clock, look.nextAt ?? lookedAt + JUMP_MS, hinted, signal);
    }
  } finally {
    await Promise.allSettled(underWay.values());
  }
}

/** False while the database can not be asked. @throws FencedError when they do not */
async function clocksAgree({ db, clock }: AccountsRoleDeps): Promise<boolean> {
  try {
    await requireClock(db, clock);
    return true;
  } catch (error) {
    if (error instanceof FencedError) throw error;
    return false;
  }
}

/** Leaves its lane once it is over; one that fails stays, so that the one who waits for a lane hears of it. */
async function inLane(underWay: Map<string, Promise<void>>, accountId: string, round: Promise<void>): Promise<void> {
  await round;
  underWay.delete(accountId);
}

/**
 * Until the rounds under way have ended, or the next look at the database: one whose provider hangs takes its lane for a minute,
 * and no other account's turn. Where nothing else is due a hint ends the wait too.
 */
async function lanesEnd(
  underWay: ReadonlyMap<string, Promise<void>>,
  hinted: Promise<void> | null,
  signal: AbortSignal,
): Promise<void> {
  if (hinted) await sleepReal(LEAST_MS, signal).catch(() => undefined);
  const local = new AbortController();
  const poll = sleepReal(POLL_MS, AbortSignal.any([signal, local.signal])).catch(() => undefined);
  await Promise.race([Promise.all(underWay.values()), poll, ...(hinted ? [hinted] : [])]).finally(() =>
    local.abort(new Error('awake')),
  );
}

/** Rejects once the round has to end. */
function stopped(signal: AbortSignal): Promise<never> {
  const because = (): FencedError => new FencedError(messageOf(signal.reason));
  return new Promise((_, reject) => {
    if (signal.aborted) reject(because());
    signal.addEventListener('abort', () => reject(because()), { once: true });
  });
}

/** Resolves at the source's next hint. */
function nextHint(source: LeaseSource): Promise<void> {
  return new Promise((resolve) => {
    source.onWake = () => resolve();
  });
}

/** The answer, or `instead` once we are told to stop: whom we ask may be stopping too. */
async function until<T>(signal: AbortSignal, asked: Promise<T>, instead: T): Promise<T> {
  const local = new AbortController();
  const stopped = new Promise<T>((resolve) => {
    if (signal.aborted) resolve(instead);
    signal.addEventListener('abort', () => resolve(instead), { once: true, signal: local.signal });
  });
  return Promise.race([asked, stopped]).finally(() => local.abort());
}

/** Until the next account is due (`at`, product time), or a hint, or the next look at the database. */
async function nextLook(clock: ProductClock, at: number, hinted: Promise<void>, signal: AbortSignal): Promise<void> {
  await sleepReal(LEAST_MS, signal).catch(() => undefined);
  const left = at - clock.now();
  if (left <= 0) return;
  const local = new AbortController();
  const both = AbortSignal.any([signal, local.signal]);
  const waits = [hinted, sleepReal(POLL_MS, both), clock.sleep(left, both)];
  for (const wait of waits) wait.catch(() => undefined);
  await Promise.race(waits).catch(() => undefined);
  local.abort(new Error('awake'));
}

async function syncOne(deps: AccountsRoleDeps, accountId: string, signal: AbortSignal): Promise<void> {
  const grant = await until(signal, deps.source.claim('account', accountId), null);
  deps.onLease(grant ? 'granted' : 'refused');
  if (!grant) return sleepReal(REFUSED_MS, signal).catch(() => undefined);
  const claim = new LeaseKeeper(deps.db, accountId, grant);
  claim.start();
  // A round that is broken off leaves its account due; each of its transactions stands for itself.
  const both = AbortSignal.any([signal, claim.signal]);
  const release = await deps.clock.hold();
  try {
    const late = sleepReal(SYNC_TIMEOUT_MS, both).then(() => Promise.reject(new Error('took longer than 60 s')));
    await Promise.race([syncAccount({ ...deps, claim }), late, stopped(both)]);
  } catch (error) {
    if (!(error instanceof FencedError)) {
      deps.log.warn({ accountId, reason: messageOf(error) }, 'account sync failed');
      await claim.tx((tx) => syncFailed(tx, accountId, failure(deps, error))).catch(() => undefined);
    }
  } finally {
    release();
    await claim.release();
  }
}

function failure({ clock }: AccountsRoleDeps, error: unknown): Parameters<typeof syncFailed>[2] {
  const now = clock.now();
  return { now, againAt: now + RETRY_MS, reason: mask(messageOf(error)) };
}
