import { endWith, monotonicMs, sleepReal, withDeadline } from '../../base/clock.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import { WakeSignal } from '../../base/wake-signal.ts';
import { hashFloat } from '../../domain/random.ts';

/*
 * When the engine of a workspace does what. Claims and commits take a few ms each; on a clock that passes steadily they are done
 * before a run is due, and the request is held until then: what leaves, leaves on time. One effect, in ms of product time:
 *
 *   a batch may take the run     work on it begins          `dispatched` is          due: the request     the answer
 *   as soon as this              at the latest              committed                leaves               is settled
 *        |                            |                          |                        |                    |
 *  ------+----------------------------+--------------------------+------------------------+--------------------+--->
 *   -AHEAD_MS                    -LEAD_MS                   -COMMIT_LEAD_MS               0        within SETTLE_EVERY_MS
 *   -spread x SPREAD_MS          -spread x SPREAD_MS        -up to COMMIT_EVERY_MS                 (HARMLESS_EVERY_MS) of
 *   = -500 to -650               = -250 to -400             = -100 to -300                         the answer: 25 (250)
 *
 *    |<---- `horizon` ------------------------------------------------------------------->|
 *                                     |<---- `beginsAt`: claim, walk, judge, commit ----->|
 *                                                                |<---- `commitsAt` ----->|
 *
 * and the loop around it, in real ms; small batches cost most, so what comes within a moment becomes one batch:
 *
 *   batch begins   GATHER_LEAST_MS   GATHER_MS                          POLL_MS
 *      |                |                |                                 |
 *  ----+----------------+----------------+---------------------------------+--->
 *      0                20               80                               1000
 *      a batch that is full: the next one begins at once (for a backlog: claim-lanes.ts)
 *                       a wake signal: the next batch begins now, or right after the present one
 *                                        something is due again: the next batch begins at its `beginsAt`
 *      an effect or call ends: its run goes on LINGER_MS (250) later, with what else has come until then
 *                                                                          nothing of it: the database is asked what is left
 *
 * A clock that is not steady (standalone's, which can be held and jump) is never ahead of: all leads and patience are 0.
 */

/**
 * Ms of product time by which a batch looks ahead, and by which work on a run begins before it is due. What lies between them is
 * one batch: of a workspace with ten effects per second it is three or four, and most of what a small batch costs is fixed. The
 * lead is what a busy machine may fall behind before anything is late, and time to prepare most before they are committed together.
 */
const AHEAD_MS = 500;
const LEAD_MS = 250;
/** By so much more at most (ms), each workspace by its own share: what several do at one moment, perhaps through one account, they begin apart. */
const SPREAD_MS = 150;
/** Ms of product time by which `dispatched` is committed before the request at least, and at most that much more: so several share a commit. */
const COMMIT_LEAD_MS = 100;
const COMMIT_EVERY_MS = 200;
/** Real ms between looks at the database while nothing is due and no wake signal comes. */
const POLL_MS = 1_000;
/** Real ms from one batch to the next when neither is full: less than the lead, so that nothing is late for it. A wake signal ends it after the least. */
const GATHER_MS = 80;
const GATHER_LEAST_MS = 20;
/** Real ms for which what follows a settled effect waits for company. */
const LINGER_MS = 250;
/** Real ms from one commit of settlements to the next: what they wait is little beside the answer that they waited for. */
const SETTLE_EVERY_MS = 25;
/**
 * The same of harmless actions, which nobody has to look up when this process ends before that: longer than from one commit of
 * dispatches to the next, which takes them along.
 */
const HARMLESS_EVERY_MS = 250;
/** The same of failures in a backlog: their commit takes as long for a few as for many, and nothing follows them soon. */
const FAILURES_EVERY_MS = 250;
/** Real ms from one commit of dispatches to the next while all have this much product time (ms) left: enough for both. */
const DISPATCH_EVERY_MS = 40;
const DISPATCH_TIME_MS = 80;
/** Ms of product time after which what is due is late. */
const LATE_MS = 100;
/** Real ms from one commit to the next of dispatches that are late, and of settlements for so long after one was. */
const LATE_EVERY_MS = 60;
const LATE_FOR_MS = 250;
/**
 * Effects are dispatched with their claim only while batches are as quick as this (real ms): the time for the request has begun. With
 * what a batch looks ahead at most it is the second that the sandbox, which settles soonest, leaves for the write (write-deadline.ts).
 */
const AT_ONCE_WITHIN_MS = 350;
const MINUTE_MS = 60_000;

export interface CadenceOptions {
  workspaceId: string;
  clock: ProductClock;
  /** Ends every wait of the loop. */
  stop: AbortSignal;
  /** Real ms that a batch may take for the effects of the next to be dispatched with their claim; absent: AT_ONCE_WITHIN_MS. */
  atOnceWithinMs?: number | undefined;
  /** Real ms between looks at the database while nothing is due and no wake signal comes; absent: POLL_MS. */
  pollMs?: number;
}

/** What becomes of a send, as far as it decides how soon that has to be committed. */
export interface Settling {
  confirmed: boolean;
  /** Of a harmless action, without anything to keep. */
  plain: boolean;
  /** Batches follow each other. */
  backlog: boolean;
}

/** When the batches of one engine begin, how far they look ahead, and when dispatches and settlements are committed. */
export class Cadence {
  readonly #clock: ProductClock;
  readonly #stop: AbortSignal;
  readonly #atOnceWithinMs: number;
  readonly #pollMs: number;
  /** What part of the spread is the workspace's, 0 to 1: the same in every process. */
  readonly #spread: number;
  /** Something may have been brought forward. */
  readonly #hinted = new WakeSignal();
  /** An effect or call has ended. */
  readonly #settled = new WakeSignal();
  /** Monotonic ms before which the next batch only gathers. */
  #gatherUntil = 0;
  /** Something was done since that question: what is left is asked for soon, for more may be open than is known. */
  #news = false;
  /** Monotonic ms of the last question what is left. */
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Real ms of the last batch. */
  #tookMs = 0;
  /** Monotonic ms of the last dispatch that was late. */
  #lateAt = Number.NEGATIVE_INFINITY;

  constructor({ workspaceId, clock, stop, atOnceWithinMs, pollMs = POLL_MS }: CadenceOptions) {
    this.#pollMs = pollMs;
    this.#clock = clock;
    this.#stop = stop;
    this.#atOnceWithinMs = atOnceWithinMs ?? AT_ONCE_WITHIN_MS;
    this.#spread = hashFloat('look-ahead', workspaceId);
  }

  /**
   * Until when (epoch ms) runs are due that a batch may take now. Never over a full minute: days, hours and weeks begin with one,
   * and are judged when they have come.
   */
  horizon(): number {
    const now = this.#clock.now();
    if (!this.#clock.steady) return now;
    return Math.min(now + AHEAD_MS + Math.floor(this.#spread * SPREAD_MS), now - (now % MINUTE_MS) + MINUTE_MS - 1);
  }

  /** When (epoch ms) work begins on what is due at `dueAt`. */
  beginsAt(dueAt: number): number {
    if (!this.#clock.steady) return dueAt;
    return Math.max(dueAt - LEAD_MS - Math.floor(this.#spread * SPREAD_MS), dueAt - (dueAt % MINUTE_MS));
  }

  /**
   * When (epoch ms) `dispatched` is committed of what is due at `dueAt`: not as early as its claim, since that commit is the last
   * look at replies, suppressions and freezes, and what comes between it and the request is an unknown outcome.
   */
  commitsAt(dueAt: number): number {
    if (!this.#clock.steady) return dueAt;
    const latest = dueAt - COMMIT_LEAD_MS;
    const apart = Math.floor(this.#spread * COMMIT_EVERY_MS);
    return latest - ((latest + apart) % COMMIT_EVERY_MS);
  }

  /** Waits until `at` (epoch ms), which lies no further ahead than a batch looks; timers may end a moment early. */
  async untilDue(at: number, signal: AbortSignal): Promise<void> {
    const clock = this.#clock;
    const until = Math.min(at, clock.now() + AHEAD_MS + SPREAD_MS);
    for (let left = until - clock.now(); left > 0; left = until - clock.now()) await clock.sleep(left, signal);
  }

  /**
   * Real ms from the last commit for which the dispatch of what is due at `dueAt` (epoch ms) may wait for others. Who was prepared
   * after the moment of its commit mostly has time left; many of them come one after another, as the provider answers. Small
   * commits cost most, so the one who hurries behind with them falls further behind: what is late waits too.
   */
  dispatchPatienceMs(dueAt: number): number {
    if (!this.#clock.steady) return 0;
    const leftMs = dueAt - this.#clock.now();
    if (leftMs >= -LATE_MS) return leftMs > DISPATCH_TIME_MS ? DISPATCH_EVERY_MS : 0;
    this.#lateAt = monotonicMs();
    return LATE_EVERY_MS;
  }

  /** Real ms from the last commit for which a settlement may wait for others. */
  settlePatienceMs({ confirmed, plain, backlog }: Settling): number {
    const usualMs = this.#clock.steady ? SETTLE_EVERY_MS : 0;
    if (!confirmed) return backlog ? FAILURES_EVERY_MS : usualMs;
    if (plain && this.#clock.steady) return HARMLESS_EVERY_MS;
    return monotonicMs() - this.#lateAt < LATE_FOR_MS ? LATE_EVERY_MS : usualMs;
  }

  /** A batch took `tookMs` of real time. */
  took(tookMs: number): void {
    this.#tookMs = tookMs;
  }

  /** Something was done of which not all is known. */
  worked(): void {
    this.#news = true;
  }

  /** Whether batches are quick enough for effects to be dispatched with their claim. */
  get atOnce(): boolean {
    return this.#tookMs <= this.#atOnceWithinMs;
  }

  /** Looks for work at once: something was brought forward. */
  wake(): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#hinted.wake();
  }

  /** An effect or call has ended. Who waits from now on waits for the next one. */
  settled(): void {
    this.#news = true;
    this.#settled.pulse();
  }

  /** The batch that began at `begunAt` (monotonic ms) was not full: what comes until GATHER_MS after that is one batch. */
  gatherFrom(begunAt: number): void {
    if (this.#clock.steady) this.#gatherUntil = begunAt + GATHER_MS;
  }

  /**
   * Waits until the next batch may begin: what comes due, settles or is hinted at within a few ms of a batch is one batch, since
   * fixed costs are most of a small one.
   */
  async gather(): Promise<void> {
    const ms = this.#gatherUntil - monotonicMs();
    if (ms <= 0) return;
    const least = Math.min(ms, GATHER_LEAST_MS);
    await sleepReal(least, this.#stop).catch(() => undefined);
    await Promise.race([this.#hinted.woken, sleepReal(ms - least, this.#stop)]).catch(() => undefined);
  }

  /** The next wake signal and the next end of an effect, one of which ends a sleep. Ask before the work, so that none is missed. */
  listen(): Promise<void>[] {
    return [this.#hinted.next(), this.#linger(this.#settled.next())];
  }

  /** What follows an effect has time; it goes with what is due next where that is soon. */
  async #linger(settled: Promise<void>): Promise<void> {
    await settled;
    if (this.#clock.steady) await sleepReal(LINGER_MS, this.#stop).catch(() => undefined);
  }

  /** Until effects or calls have ended and that is `enough`, for one look at the database's length at most. */
  async untilSettled(enough: () => boolean = () => true): Promise<void> {
    await withDeadline(POLL_MS, this.#stop, async (signal) => {
      signal.addEventListener('abort', () => this.settled(), { once: true });
      if (signal.aborted) return;
      do await this.#settled.woken;
      while (!signal.aborted && !enough());
    });
  }

  /** The database was asked what is left. */
  asked(): void {
    this.#askedAt = monotonicMs();
    this.#news = false;
  }

  /** Real ms between questions what is left: a second at most while there may be news. */
  get #askMs(): number {
    return this.#news ? Math.min(POLL_MS, this.#pollMs) : this.#pollMs;
  }

  /** For so long nobody has asked that there may be more than is known, sends of unknown outcome for example. */
  get outOfDate(): boolean {
    return monotonicMs() - this.#askedAt >= 2 * this.#askMs;
  }

  /**
   * Whether to ask what is left: once a second, and before a rest, since the one who wakes the workspace, or lets time pass, has to know
   * when it ends.
   * @param nextDue epoch ms of what is due next, as the last batch left it; null: nothing
   */
  asks(nextDue: number | null, busy: boolean): boolean {
    if (monotonicMs() - this.#askedAt >= this.#askMs) return true;
    return !busy && (nextDue ?? Number.POSITIVE_INFINITY) - this.#clock.now() > POLL_MS;
  }

  /** Ms of product time until work on what is due at `dueAt` (epoch ms) begins. */
  beginsIn(dueAt: number): number {
    return this.beginsAt(dueAt) - this.#clock.now();
  }

  /** Until work on what is due next begins, or one of `wakes`, or the next look at the database, whatever comes first. */
  async sleep(next: { due: number | null; lookupMs: number | null }, wakes: readonly Promise<void>[]): Promise<void> {
    const local = new AbortController();
    const letGo = endWith(this.#stop, local);
    const { signal } = local;
    const lookMs = next.lookupMs === null ? this.#askMs : Math.max(1, next.lookupMs);
    const waits = [sleepReal(Math.min(this.#askMs, lookMs), signal), ...wakes];
    if (next.due !== null) waits.push(this.#clock.sleep(Math.max(1, this.beginsIn(next.due)), signal));
    for (const wait of waits) wait.catch(() => undefined);
    await Promise.race(waits).catch(() => undefined);
    letGo();
    local.abort(new Error('awake'));
  }
}
