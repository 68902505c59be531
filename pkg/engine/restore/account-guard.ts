import { monotonicMs, sleepReal, withDeadline } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { lackingMails } from '../../store/mail/mail-sync.ts';
import {
  lackingTraces,
  reportAccount,
  type UnguardedAccount,
  unguardedAccounts,
} from '../../store/restore/restore-guard.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { openMailbox } from '../mail/mail-desk.ts';
import { readLackingSends } from './lacking-sends.ts';
import { readOwnMails } from './own-mails.ts';
import { TracesRead } from './provider-traces.ts';

/** Real ms between looks for accounts that have to be compared. */
const LOOK_MS = 1_000;
/** The due loop waits this long for comparisons, once, then goes on with what needs none (real ms). */
const WAIT_MS = 2_000;
/** Longest comparison of one account, real ms. */
const COMPARE_TIMEOUT_MS = 60_000;
/** Longest pause after failed comparisons of an account, real ms. */
const MAX_PAUSE_MS = 60_000;
/** Accounts that are compared at once: one whose provider hangs keeps few others waiting. */
const AT_ONCE = 8;
/** IMAP searches by day. */
const DAY_MS = 86_400_000;

/**
 * Before an account's first effect after a start of Postgres: compares its sends since the last confirmed one with what
 * the provider shows. The ledger refuses every dispatch until then, so an executor that forgets it sends nothing.
 */
export class AccountGuard {
  readonly #deps: EngineDeps;
  #lookAt = Number.NEGATIVE_INFINITY;
  #comparing: Promise<void> | undefined;
  /** Until when the due loop waits for the comparisons under way (monotonic ms). */
  #waitUntil = 0;
  /** Account -> failed comparisons in a row, when to try again (monotonic ms), and what they read. */
  readonly #failed = new Map<string, { count: number; retryAt: number; read: TracesRead }>();

  constructor(deps: EngineDeps) {
    this.#deps = deps;
  }

  /** Compares what is due, one look per second at most; returns after a moment even when a provider is slow. */
  async check(): Promise<void> {
    if (!this.#comparing && monotonicMs() >= this.#lookAt) {
      this.#lookAt = monotonicMs() + LOOK_MS;
      const resting = this.#resting();
      const accounts = await this.#deps.claim.tx((tx) => unguardedAccounts(tx, resting));
      this.#forget([...resting, ...accounts.map((account) => account.id)]);
      if (accounts.length === 0) return;
      this.#waitUntil = monotonicMs() + WAIT_MS;
      this.#comparing = this.#compareAll(accounts).finally(() => {
        this.#comparing = undefined;
      });
    }
    const waitMs = this.#waitUntil - monotonicMs();
    if (!this.#comparing || waitMs <= 0) return;
    const timer = new AbortController();
    await Promise.race([this.#comparing, sleepReal(waitMs, timer.signal).catch(() => undefined)]);
    timer.abort();
  }

  /** Accounts whose comparison failed and is not tried again yet. */
  #resting(): string[] {
    const now = monotonicMs();
    return [...this.#failed].filter(([, failed]) => now < failed.retryAt).map(([id]) => id);
  }

  /** What is not to be compared any more, an account that was unlinked say, is not remembered either. */
  #forget(except: readonly string[]): void {
    const kept = new Set(except);
    for (const id of this.#failed.keys()) if (!kept.has(id)) this.#failed.delete(id);
  }

  async #compareAll(accounts: readonly UnguardedAccount[]): Promise<void> {
    const left = accounts.values();
    const lane = async (): Promise<void> => {
      for (const account of left) await this.#tryCompare(account);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  }

  async #tryCompare(account: UnguardedAccount): Promise<void> {
    const failed = this.#failed.get(account.id);
    const read = failed?.read ?? new TracesRead();
    try {
      await this.#compare(account, read);
      this.#failed.delete(account.id);
    } catch (error) {
      const count = (failed?.count ?? 0) + 1;
      const pause = Math.min(MAX_PAUSE_MS, LOOK_MS * 2 ** count);
      this.#failed.set(account.id, { count, retryAt: monotonicMs() + pause, read });
      const facts = { accountId: account.id, reason: messageOf(error) };
      this.#deps.log.warn(facts, 'account could not be compared with its provider; it does not act');
    }
  }

  async #compare(account: UnguardedAccount, read: TracesRead): Promise<void> {
    const { claim, clock, log, providers } = this.#deps;
    if (account.kind === 'mail') return this.#compareMail(account);
    const provider = providers(account.provider);
    if (!provider) throw new Error(`no adapter for provider ${account.provider} is configured`);
    const shown = await withDeadline(COMPARE_TIMEOUT_MS, claim.signal, (signal) =>
      readLackingSends((work) => claim.tx(work), provider, account, { read, signal }),
    );
    await claim.tx(async (tx) => {
      const lacking = (await lackingTraces(tx, account.id, shown.lacking)).filter((one) => one.ofLead || one.ours);
      const proof = lacking.some((one) => one.ours);
      const detail = describe(account.id, lacking.length, proof);
      await reportAccount(tx, { accountId: account.id, now: clock.now(), lacking: lacking.length, proof, detail });
      if (lacking.length > 0) log.error({ accountId: account.id, lacking: lacking.length, proof }, detail);
    });
  }

  /** What a mailbox sent under our Message-IDs must be in the ledger; what people wrote by hand is their own business. */
  async #compareMail(account: UnguardedAccount): Promise<void> {
    const { claim, clock, log } = this.#deps;
    const { provider, mailbox } = await openMailbox(this.#deps.mail, claim, account.id);
    const own = await withDeadline(COMPARE_TIMEOUT_MS, claim.signal, (signal) =>
      readOwnMails(provider, mailbox, account.since - DAY_MS, signal),
    );
    const sent = [...own.keys()];
    await claim.tx(async (tx) => {
      const lacking = (await lackingMails(tx, account.id, sent)).size;
      const detail = describe(account.id, lacking, lacking > 0);
      await reportAccount(tx, { accountId: account.id, now: clock.now(), lacking, proof: lacking > 0, detail });
      if (lacking > 0) log.error({ accountId: account.id, lacking }, detail);
    });
  }
}

function describe(accountId: string, lacking: number, proof: boolean): string {
  if (lacking === 0) return '';
  const what = `The provider shows ${lacking} sends of account ${accountId} that the ledger lacks`;
  const why = proof ? '; the database was restored from a backup' : '; they were made by hand or are lost';
  return `${what}${why}. Run: outrider reconcile`;
}
