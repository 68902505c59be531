import { setImmediate as nextTurn } from 'node:timers/promises';
import { endWith, monotonicMs, sleepReal } from '../../base/clock.ts';
import { FencedError, messageOf } from '../../base/errors.ts';
import { LastAnswers } from '../../postgres/database.ts';
import { recoverCalls } from '../../store/calls/node-calls.ts';
import { recoverSends } from '../../store/ledger/ledger.ts';
import type { ClaimLane } from '../../store/runs/claim-lane.ts';
import { type Rest, rest } from '../../store/runs/rest.ts';
import { CallRunner } from '../calls/call-runner.ts';
import { type Outside, openOutside } from '../calls/outside.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { EffectRunner } from '../ledger/effect-runner.ts';
import { LedgerBatcher } from '../ledger/ledger-batcher.ts';
import { OutageWatch } from '../ledger/outage-watch.ts';
import { FIRST_LOOKUP_MS } from '../ledger/send-outcome.ts';
import { LookupRounds } from '../lookups/lookup-rounds.ts';
import { AccountGuard } from '../restore/account-guard.ts';
import { SourceRounds } from '../sources/source-rounds.ts';
import { GraphCache } from '../walk/graph-cache.ts';
import { AnsweredRuns, type TakenRun } from './answered-runs.ts';
import { type BatchResult, runBatch } from './batch.ts';
import { BatchSize } from './batch-size.ts';
import { BudgetGauge } from './budget-gauge.ts';
import { ClaimFloor } from './claim-floor.ts';
import { bothLanes, ClaimLanes } from './claim-lanes.ts';
import { countBatch } from './count-batch.ts';
import { EventMonths } from './event-months.ts';
import { Idleness } from './idleness.ts';
import { beginsAt, GATHER_MS, horizon, POLL_MS, spreadOf } from './look-ahead.ts';
import { News } from './news.ts';
import { PromiseKeeper } from './promise-keeper.ts';

/** A batch this large, and full, is a backlog: two lanes work on it, for at most this many real ms at a stretch (see also claim-lanes.ts). */
const PIPELINE_FROM = 100;
const PIPELINE_MS = 1_000;
/**
 * Effects and calls under way at most (two lanes that meet effects at once: a batch more): what is claimed beyond what can be
 * done soon holds units, keys and memory for nothing.
 */
const MAX_UNDER_WAY = 1_200;
/**
 * Effects are dispatched with their claim only while batches are as quick as this (real ms): the time for the request has begun. With
 * what a batch looks ahead at most it is the second that the sandbox, which settles soonest, leaves for the write (write-deadline.ts).
 */
const AT_ONCE_WITHIN_MS = 350;
/** Time that effects under way get when the executor drains. */
const DRAIN_MS = 20_000;

/** What a batch does not say. */
const NOTHING_LEFT: Rest = { nextDue: null, unparked: 0, openSends: 0, unknownSends: 0, nextLookupMs: null };

/** The due loop of one workspace under its claim. */
export class WorkspaceEngine {
  readonly #deps: EngineDeps;
  readonly #spread: number;
  readonly #ledger: LedgerBatcher;
  readonly #effects: EffectRunner;
  readonly #calls: CallRunner;
  readonly #outside: Outside;
  readonly #guard: AccountGuard;
  readonly #cache = new GraphCache();
  readonly #months: EventMonths;
  readonly #promises: PromiseKeeper;
  readonly #outages: OutageWatch;
  readonly #idleness: Idleness;
  readonly #stop = new AbortController();
  readonly #news: News;
  readonly #answered = new AnsweredRuns(this.#stop.signal, () => this.#news.settled());
  readonly #sources: SourceRounds;
  readonly #lookups: LookupRounds;
  readonly #budgets: BudgetGauge;
  readonly #batchSize = new BatchSize();
  readonly #floor = new ClaimFloor();
  readonly #lanes = new ClaimLanes({
    step: (lane, limit) => this.step(lane, limit),
    room: (claiming) => this.#room(claiming),
    ended: (lane) => this.#answered.release(lane),
    settled: () => this.#news.untilSettled(),
    stopped: () => this.#stop.signal.aborted,
  });
  /** Real ms of the last batch. */
  #tookMs = 0;
  readonly #atOnceWithinMs: number;
  #restedAt = Number.NEGATIVE_INFINITY;
  /** Sends of unknown outcome when it was asked what is left. */
  #unknown = 0;
  /** Monotonic ms before which the next batch only gathers. */
  #gatherUntil = 0;
  /** When work is due next, as the last batch left it (epoch ms product time). */
  #nextDue: number | null = null;
  #fatal: unknown;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#spread = spreadOf(deps.workspaceId);
    this.#atOnceWithinMs = deps.atOnceWithinMs ?? AT_ONCE_WITHIN_MS;
    this.#news = new News(deps.clock, this.#stop.signal);
    this.#months = new EventMonths(deps);
    this.#promises = new PromiseKeeper(deps);
    this.#sources = new SourceRounds(deps, this.#cache);
    this.#budgets = new BudgetGauge(deps);
    this.#outages = new OutageWatch(deps);
    this.#guard = new AccountGuard(deps);
    this.#idleness = new Idleness(
      (idle) => deps.claim.reportIdle(idle),
      () => deps.giveBackMemory?.(),
    );
    const listener = { settled: () => this.#news.settled(), failed: (error: unknown) => this.#fail(error) };
    this.#ledger = new LedgerBatcher(deps.claim, deps.clock, deps.faults, () => this.#answered.gathering);
    this.#lookups = new LookupRounds(deps, this.#ledger, listener.failed);
    this.#effects = new EffectRunner(deps, listener, this.#ledger, this.#answered, this.#outages);
    this.#outside = deps.outside ?? openOutside({}, undefined);
    this.#calls = new CallRunner({ ...deps, outside: this.#outside }, listener);
    deps.claim.signal.addEventListener('abort', () => this.#stop.abort(deps.claim.signal.reason), { once: true });
  }

  /** Stops claiming work; `run` finishes what is under way and returns. */
  drain(): void {
    this.#stop.abort(new Error('draining'));
  }

  /** Looks for work at once; for hints that something was brought forward. */
  poke(): void {
    this.#restedAt = Number.NEGATIVE_INFINITY;
    this.#news.hint();
  }

  /** Works until drained. @throws FencedError when the claim is lost, or the fault after which only a new epoch helps */
  async run(): Promise<void> {
    const { claim } = this.#deps;
    await this.#recover();
    try {
      while (!this.#stop.signal.aborted) await this.#turn();
    } catch (error) {
      this.#fail(error);
    }
    await this.#lookups.ended();
    if (!claim.signal.aborted) await this.settle();
    if (claim.signal.aborted) throw new FencedError(messageOf(claim.signal.reason));
    if (this.#fatal !== undefined) throw this.#fatal;
    await this.#rest();
  }

  /** Takes over what older epochs left open. */
  async #recover(): Promise<void> {
    const { claim, clock, log, faults } = this.#deps;
    const found = await claim.tx(async (tx) => {
      const sends = await recoverSends(tx, clock.now(), FIRST_LOOKUP_MS);
      const taken = { ...sends, calls: await recoverCalls(tx, clock.now()) };
      if (taken.cancelled + taken.unknown + taken.calls > 0) await faults('recovering', '');
      return taken;
    });
    if (found.cancelled + found.unknown + found.calls === 0) return;
    log.warn(found, 'took over sends and calls of an older epoch');
    await faults('recovered', '');
  }

  /** One round: sources, look-ups, one batch; sleeps when nothing was due. */
  async #turn(): Promise<void> {
    this.#deps.claim.assertHeld();
    await this.#months.keep();
    await this.#guard.check();
    await this.#promises.keep();
    await this.#sources.keep();
    if (this.#mayLookUp()) this.#lookups.begin();
    await this.#news.gather(this.#gatherUntil - monotonicMs());
    const news = this.#news.next();
    const full = this.#room();
    const begunAt = monotonicMs();
    // Until half of what is under way has ended.
    if (full <= 0) return this.#news.untilSettled(() => this.#underWay() <= MAX_UNDER_WAY / 2);
    const worked = await this.#work(full);
    if (worked > 0) {
      await this.#idleness.worked();
      if (worked >= full) return;
      if (this.#deps.clock.steady) this.#gatherUntil = begunAt + GATHER_MS;
    }
    // Nothing is due any more: the last batch said when something will be.
    const left = this.#asksWhatIsLeft() ? await this.#rest() : { ...NOTHING_LEFT, nextDue: this.#nextDue };
    if (left.unparked > 0 || (worked > 0 && left.nextDue !== null && this.#dueIn(left.nextDue) <= 0)) return;
    // Nothing was due and yet something is: a source whose next day has come.
    if (left.nextDue !== null && left.nextDue <= this.#deps.clock.now()) this.#sources.hurry();
    await this.#sleep(left, news);
  }

  /** Once a second, and before a rest: whoever wakes the workspace, or lets time pass, has to know when it ends. */
  #asksWhatIsLeft(): boolean {
    if (monotonicMs() - this.#restedAt >= POLL_MS) return true;
    const dueIn = (this.#nextDue ?? Number.POSITIVE_INFINITY) - this.#deps.clock.now();
    return this.#underWay() === 0 && dueIn > POLL_MS;
  }

  /**
   * One batch; while batches come back full, two lanes claim and write back side by side, each on its own connection,
   * so that the database works on one batch while this process walks the other. A run is locked by one of them. Once effects
   * are under way each has accounts of its own: two claims would wait for the same ones.
   */
  async #work(full: number): Promise<number> {
    const worked = await this.step();
    if (worked < full || worked < PIPELINE_FROM) {
      this.#answered.release();
      return worked;
    }
    if (this.#underWay() > 0) {
      this.#answered.gather();
      await this.#lanes.run(PIPELINE_MS);
      return worked;
    }
    const until = monotonicMs() + PIPELINE_MS;
    const lane = async (): Promise<void> => {
      while (!this.#stop.signal.aborted && monotonicMs() < until && this.#underWay() === 0) {
        const room = this.#room();
        if ((await this.step()) < room) return;
      }
    };
    await bothLanes(lane);
    return worked;
  }

  /**
   * One batch of due runs, of a lane's accounts or of all; starts its effects. Returns how many runs were due.
   * @param room runs that it may take
   */
  async step(lane: ClaimLane | null = null, room = this.#room()): Promise<number> {
    const { claim, clock, workspaceId, newId } = this.#deps;
    const release = await clock.hold();
    try {
      await this.#outages.keep();
      const startedAt = monotonicMs();
      const limit = Math.max(1, room);
      const result = await this.#answered.take(limit, lane, (answered) =>
        claim.tx(
          async (tx) => {
            const batch = await runBatch(tx, {
              workspaceId,
              now: clock.now(),
              until: horizon(clock, this.#spread),
              limit,
              lane,
              floor: this.#floor,
              answered,
              atOnce: this.#tookMs <= this.#atOnceWithinMs ? this.#effects.underWay.free : 0,
              busy: [...this.#effects.underWay.busy, ...this.#calls.underWay.busy],
              cache: this.#cache,
              writerIsFree: !this.#outside.writer.billable,
              newId,
            });
            await this.#passFaults(batch, answered);
            return new LastAnswers(batch.written.then((nextDue) => ({ ...batch, nextDue })));
          },
          { lookups: true },
        ),
      );
      const tookMs = monotonicMs() - startedAt;
      this.#tookMs = tookMs;
      this.#batchSize.learn(result.runs, tookMs);
      countBatch(this.#deps.metrics, result, tookMs);
      this.#nextDue = result.nextDue;
      // The database gets its next batch first: it works on it while this process begins what the last one granted.
      const turn = nextTurn();
      for (const effect of result.granted) this.#effects.start(effect, turn);
      for (const call of result.calls) this.#calls.start(call);
      return result.runs;
    } finally {
      release();
    }
  }

  /** Of a batch that is written and not committed. */
  async #passFaults({ confirmed, granted, calls }: BatchResult, answered: readonly TakenRun[]): Promise<void> {
    const { faults } = this.#deps;
    const settling = answered.find((one) => confirmed.has(one.runId));
    if (settling) await faults('settling', settling.sendId);
    const claiming = granted[0]?.request.claim.sendId ?? calls[0]?.callId;
    if (claiming !== undefined) await faults('claiming', claiming);
  }

  /** Effects and calls under way; what was answered and is only to be confirmed is not among them. */
  #underWay(): number {
    return this.#effects.underWay.size + this.#calls.underWay.size - this.#answered.confirming;
  }

  /** Runs that the next batch may take while `claiming` are being taken by another; not above 0 when there is no room for what they may ask for. */
  #room(claiming = 0): number {
    return Math.min(this.#batchSize.runs, MAX_UNDER_WAY - this.#underWay() - claiming);
  }

  /** Waits for the effects and calls under way. */
  async settle(ms = DRAIN_MS): Promise<boolean> {
    const drained = await Promise.all([this.#effects.underWay.drain(ms), this.#calls.underWay.drain(ms)]);
    return drained.every(Boolean);
  }

  /** Whether there may be sends of unknown outcome. */
  #mayLookUp(): boolean {
    return this.#unknown > 0 || monotonicMs() - this.#restedAt >= 2 * POLL_MS;
  }

  async #rest(): Promise<Rest> {
    const { claim, clock, metrics } = this.#deps;
    const left = await claim.tx((tx) => rest(tx, clock.now()));
    this.#restedAt = monotonicMs();
    this.#unknown = left.unknownSends;
    metrics.unknown.set(left.unknownSends);
    await this.#budgets.keep();
    const idle =
      this.#underWay() === 0 &&
      this.#answered.size === 0 &&
      left.openSends === 0 &&
      left.nextLookupMs === null &&
      (left.nextDue ?? Number.POSITIVE_INFINITY) > clock.now();
    if (idle) await this.#idleness.rests((left.nextDue ?? Number.POSITIVE_INFINITY) - clock.now());
    else this.#idleness.waiting();
    return left;
  }

  /** Ms of product time until work on what is due then begins. */
  #dueIn(dueAt: number): number {
    const { clock } = this.#deps;
    return beginsAt(clock, dueAt, this.#spread) - clock.now();
  }

  /** Until the next due time, the next settled effect, or the next look at the database, whatever comes first. */
  async #sleep(left: Rest, news: Promise<void>[]): Promise<void> {
    const { clock } = this.#deps;
    const local = new AbortController();
    const letGo = endWith(this.#stop.signal, local);
    const { signal } = local;
    const dueIn = left.nextDue === null ? Number.POSITIVE_INFINITY : Math.max(1, this.#dueIn(left.nextDue));
    const waits = [
      sleepReal(Math.min(POLL_MS, left.nextLookupMs === null ? POLL_MS : Math.max(1, left.nextLookupMs)), signal),
      ...news,
    ];
    if (Number.isFinite(dueIn)) waits.push(clock.sleep(dueIn, signal));
    for (const wait of waits) wait.catch(() => undefined);
    await Promise.race(waits).catch(() => undefined);
    letGo();
    local.abort(new Error('awake'));
  }

  #fail(error: unknown): void {
    this.#fatal ??= error;
    this.#stop.abort(error);
    if (!(error instanceof FencedError))
      this.#deps.log.error({ err: error }, 'the engine stops; a new epoch will recover');
  }
}
