import { type Clock, every, monotonicMs } from '../../base/clock.ts';
import { FencedError } from '../../base/errors.ts';
import type { Database, LastAnswers, Tx } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { type Renewed, renewClaims } from '../../store/leases/renewals.ts';
import { clockProblem } from '../machine-clock.ts';
import type { LeaseGrant } from './lease-source.ts';

/** Real times of a claim. */
export interface LeaseTimes {
  /** Renewal period, ms. */
  renewMs: number;
  /** Without a successful renewal for this long (monotonic ms) the holder stops by itself, before anybody may replace it. */
  fenceMs: number;
  /** The claim lives this long on the database's clock, whole seconds. */
  ttlSeconds: number;
}

/** What a transaction under a claim is like. */
export interface LeaseTx {
  lookups?: boolean;
  urgent?: boolean;
}

/** Source: design, section 5. */
export const LEASE: LeaseTimes = { renewMs: 10_000, fenceMs: 20_000, ttlSeconds: 30 };

/** What the claims of one process share, where it holds many. */
export interface LeaseShare {
  /**
   * Waits for a place among the connections; the place is free once what it resolves with was called.
   * @param urgent what is under way outside waits for it
   */
  enter(urgent: boolean): Promise<() => void>;
  /** Renews the lease of this token, together with others; undefined: it is lost. */
  renew(token: string): Promise<Renewed | undefined>;
}

/** Keeps a claim alive and knows when it must not act any more. */
export class LeaseKeeper {
  readonly key: string;
  readonly epoch: number;
  readonly #db: Database;
  readonly #controller = new AbortController();
  readonly #onDrain: () => void;
  readonly #lease: LeaseTimes;
  readonly #machine: Clock | undefined;
  readonly #share: LeaseShare | undefined;
  #token: string;
  #renewedAt = monotonicMs();
  #stopTimer: (() => void) | undefined;

  /**
   * @param lease those of the design; a test may scale all of them down in proportion
   * @param machine the clock by which its work goes, where that is the machine's; it must agree with the database's
   * @param share absent: the process holds no other claim
   */
  constructor(
    db: Database,
    key: string,
    grant: LeaseGrant,
    onDrain: () => void = () => undefined,
    lease: LeaseTimes = LEASE,
    machine?: Clock,
    share?: LeaseShare,
  ) {
    this.#db = db;
    this.key = key;
    this.#token = grant.token;
    this.epoch = grant.epoch;
    this.#onDrain = onDrain;
    this.#lease = lease;
    this.#machine = machine;
    this.#share = share;
  }

  /** Aborted with a FencedError when the claim is lost. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts renewing; stop it with `release` or `stop`. */
  start(): void {
    const stopRenewal = every(this.#lease.renewMs, () => this.renew());
    const stopWatch = every(this.#lease.fenceMs / 20, () => this.#watch());
    this.#stopTimer = () => {
      stopRenewal();
      stopWatch();
    };
  }

  /**
   * Runs a transaction under the claim; one that the database ended because it and another waited for each other runs
   * again, so `work` changes nothing but the database. `lookups`: its statements find rows by index only (a batch by its keys).
   * `urgent`: what is under way outside waits for it.
   * @throws FencedError when the claim is lost
   */
  async tx<T>(work: (tx: Tx) => Promise<T | LastAnswers<T>>, options: LeaseTx = {}): Promise<T> {
    try {
      return await againAfterDeadlock(() => this.#inTurn(work, options));
    } catch (error) {
      if (error instanceof FencedError) this.#fence(error.message);
      throw error;
    }
  }

  async #inTurn<T>(work: (tx: Tx) => Promise<T | LastAnswers<T>>, { lookups, urgent = false }: LeaseTx): Promise<T> {
    this.assertHeld();
    const leave = await this.#share?.enter(urgent);
    try {
      // Who waited for a place may have lost the claim meanwhile.
      if (leave) this.assertHeld();
      return await this.#db.tx({ kind: 'claim', token: this.#token, ...(lookups ? { lookups } : {}) }, work);
    } finally {
      leave?.();
    }
  }

  /** @throws FencedError when this process must not act for the claim any more */
  assertHeld(): void {
    if (this.#controller.signal.aborted) throw new FencedError('the claim of this executor is lost');
    if (monotonicMs() - this.#renewedAt >= this.#lease.fenceMs) {
      this.#fence(`no renewal for ${this.#lease.fenceMs / 1_000} s`);
      throw new FencedError('the claim of this executor is lost');
    }
  }

  async renew(): Promise<void> {
    const startedAt = monotonicMs();
    try {
      const row = await (this.#share ? this.#share.renew(this.#token) : this.#renewAlone());
      if (!row) {
        this.#fence('the claim was taken over');
        return;
      }
      this.#token = row.token;
      this.#renewedAt = startedAt;
      if (row.drain) this.#onDrain();
      this.#checkClock(row.now);
    } catch {
      // The database may be away for a moment; #watch decides when that is too long.
    }
  }

  #renewAlone(): Promise<Renewed | undefined> {
    return this.#db.tx(
      { kind: 'none' },
      async (tx) => (await renewClaims(tx, [this.#token], this.#lease.ttlSeconds))[0],
    );
  }

  #checkClock(databaseNow: number): void {
    const problem = this.#machine && clockProblem(this.#machine.now(), databaseNow);
    if (problem !== undefined) this.#fence(problem);
  }

  /** Tells the operator whether there is anything to do. */
  async reportIdle(idle: boolean): Promise<void> {
    await this.#db.tx({ kind: 'none' }, (tx) => tx.exec('select app.report_idle($1, $2)', [this.#token, idle]));
  }

  /** Gives the claim back. */
  async release(): Promise<void> {
    this.stop();
    if (this.#controller.signal.aborted) return;
    await this.#db
      .tx({ kind: 'none' }, (tx) => tx.exec('select app.release_claim($1)', [this.#token]))
      .catch(() => undefined);
    this.#controller.abort(new FencedError('released'));
  }

  stop(): void {
    this.#stopTimer?.();
  }

  #watch(): void {
    if (monotonicMs() - this.#renewedAt >= this.#lease.fenceMs)
      this.#fence(`no renewal for ${this.#lease.fenceMs / 1_000} s`);
  }

  #fence(why: string): void {
    this.stop();
    if (!this.#controller.signal.aborted) this.#controller.abort(new FencedError(why));
  }
}
