import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import { FencedError, messageOf } from '../../base/errors.ts';
import { LastAnswers } from '../../postgres/database.ts';
import type { DequeueLane } from '../../store/runs/dequeue-lane.ts';
import { type IdlePlan, planIdle } from '../../store/runs/plan-idle.ts';
import { ActionRounds } from '../actions/action-rounds.ts';
import { CalendarRounds } from '../calendar/calendar-rounds.ts';
import { CallRunner } from '../calls/call-runner.ts';
import { type Outside, openOutside } from '../calls/outside.ts';
import { DOABLE } from '../doable.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { EffectRunner } from '../ledger/effect-runner.ts';
import { LedgerBatcher } from '../ledger/ledger-batcher.ts';
import { OutageWatch } from '../ledger/outage-watch.ts';
import { LookupRounds } from '../lookups/lookup-rounds.ts';
import { ALONE, type Pace } from '../pace.ts';
import { AccountGuard } from '../restore/account-guard.ts';
import { ScheduleRounds } from '../schedule/schedule-rounds.ts';
import { SourceRounds } from '../sources/source-rounds.ts';
import { GraphCache } from '../walk/graph-cache.ts';
import { type BatchResult, runBatch } from './batch.ts';
import { BatchSize } from './batch-size.ts';
import { BudgetGauge } from './budget-gauge.ts';
import { Cadence } from './cadence.ts';
import { Continuations, type TakenRun } from './continuations.ts';
import { countBatch } from './count-batch.ts';
import { DequeueFloor } from './dequeue-floor.ts';
import { DequeueLanes } from './dequeue-lanes.ts';
import { EventMonths } from './event-months.ts';
import { Idleness } from './idleness.ts';
import { PromiseKeeper } from './promise-keeper.ts';
import { takeOver } from './take-over.ts';

/** Time that effects under way get when the executor drains. */
const DRAIN_MS = 20_000;

/** What a batch does not say. */
const NOTHING_LEFT: IdlePlan = { nextDue: null, unparked: 0, openSends: 0, unknownSends: 0, nextLookupMs: null };

/** The due loop of one workspace under its claim. */
export class WorkspaceEngine {
  readonly #deps: EngineDeps;
  readonly #cadence: Cadence;
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
  readonly #answered = new Continuations(this.#stop.signal, () => this.#cadence.settled());
  readonly #sources: SourceRounds;
  readonly #lookups: LookupRounds;
  readonly #schedules: ScheduleRounds;
  /** Public for tests that drive an engine step by step. */
  readonly actions: ActionRounds;
  readonly calendars: CalendarRounds;
  readonly #budgets: BudgetGauge;
  readonly #pace: Pace;
  /** Among many the first batch comes before the rounds: of all who wake at nine each has it sooner. */
  #begun: boolean;
  readonly #batchSize: BatchSize;
  readonly #floor = new DequeueFloor();
  readonly #lanes = new DequeueLanes({
    step: (lane, limit) => this.step(lane, limit),
    room: (dequeuing) => this.#room(dequeuing),
    underWay: () => this.#underWay(),
    began: () => this.#answered.gather(),
    ended: (lane) => this.#answered.release(lane),
    settled: () => this.#cadence.untilSettled(),
    stopped: () => this.#stop.signal.aborted,
  });
  /** Sends of unknown outcome when it was asked what is left. */
  #unknown = 0;
  /** When work is due next, as the last batch left it (epoch ms product time). */
  #nextDue: number | null = null;
  #fatal: unknown;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#pace = deps.pace ?? ALONE;
    this.#begun = this.#pace.roundsMs === 0;
    this.#batchSize = new BatchSize(this.#pace);
    this.#cadence = new Cadence({ ...deps, pollMs: this.#pace.pollMs, stop: this.#stop.signal });
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
    const listener = { settled: () => this.#cadence.settled(), failed: (error: unknown) => this.#fail(error) };
    this.#ledger = new LedgerBatcher(
      deps.claim,
      deps.clock,
      deps.faults,
      this.#cadence,
      () => this.#answered.gathering,
    );
    this.#lookups = new LookupRounds(deps, this.#ledger, listener.failed);
    this.#effects = new EffectRunner(deps, listener, this.#ledger, this.#answered, this.#outages, this.#cadence);
    this.actions = new ActionRounds(deps, (effect) => this.#effects.start(effect, Promise.resolve()));
    this.#outside = deps.outside ?? openOutside({}, undefined);
    this.#schedules = new ScheduleRounds(
      { ...deps, outside: this.#outside },
      { failed: listener.failed, moved: () => this.#cadence.wake() },
    );
    this.calendars = new CalendarRounds(
      { ...deps, outside: this.#outside },
      { failed: listener.failed, moved: () => this.#cadence.wake() },
    );
    this.#calls = new CallRunner({ ...deps, outside: this.#outside }, listener, this.#cadence);
    deps.claim.signal.addEventListener('abort', () => this.#stop.abort(deps.claim.signal.reason), { once: true });
  }

  /** Stops claiming work; `run` finishes what is under way and returns. */
  drain(): void {
    this.#stop.abort(new Error('draining'));
  }

  /** Looks for work at once; for hints that something was brought forward. */
  poke(): void {
    // Among many, rounds are rare: what was brought forward may be theirs.
    if (this.#pace.roundsMs > 0) this.#hurry();
    this.#cadence.wake();
  }

  /** All rounds are due now. */
  #hurry(): void {
    this.#sources.hurry();
    this.#schedules.hurry();
    this.actions.hurry();
    this.calendars.hurry();
  }

  /** Works until drained. @throws FencedError when the claim is lost, or the fault after which only a new epoch helps */
  async run(): Promise<void> {
    const { claim } = this.#deps;
    await takeOver(this.#deps);
    try {
      while (!this.#stop.signal.aborted) await this.#turn();
    } catch (error) {
      this.#fail(error);
    }
    await Promise.all([this.#lookups.ended(), this.#schedules.ended(), this.calendars.ended()]);
    if (!claim.signal.aborted) await this.settle();
    if (claim.signal.aborted) throw new FencedError(messageOf(claim.signal.reason));
    if (this.#fatal !== undefined) throw this.#fatal;
    await this.#planIdle();
  }

  /** One round: sources, look-ups, one batch; sleeps when nothing was due. */
  async #turn(): Promise<void> {
    this.#deps.claim.assertHeld();
    await this.#months.keep();
    await this.#guard.check();
    if (this.#begun) await this.#keepRounds();
    if (this.#mayLookUp()) this.#lookups.begin();
    await this.#cadence.gather();
    const wakes = this.#cadence.listen();
    const full = this.#room();
    const begunAt = monotonicMs();
    // Until half of what is under way has ended.
    if (full <= 0) return this.#cadence.untilSettled(() => this.#underWay() <= this.#pace.mostUnderWay / 2);
    const worked = await this.#lanes.work(full);
    if (!this.#begun) {
      this.#begun = true;
      if (worked === 0) return;
    }
    if (worked > 0) {
      this.#cadence.worked();
      await this.#idleness.worked();
      if (worked >= full) return;
      this.#cadence.gatherFrom(begunAt);
    }
    // Nothing is due any more: the last batch said when something will be.
    const asks = this.#cadence.asks(this.#nextDue, this.#underWay() > 0);
    const left = asks ? await this.#planIdle() : { ...NOTHING_LEFT, nextDue: this.#nextDue };
    if (left.unparked > 0 || (worked > 0 && left.nextDue !== null && this.#cadence.beginsIn(left.nextDue) <= 0)) return;
    // Nothing was due and yet something is: a source whose next day has come, a schedule or an action.
    if (left.nextDue !== null && left.nextDue <= this.#deps.clock.now()) {
      this.#hurry();
    }
    await this.#cadence.sleep({ due: left.nextDue, lookupMs: left.nextLookupMs }, wakes);
  }

  async #keepRounds(): Promise<void> {
    await this.#promises.keep();
    await this.#sources.keep();
    await this.#schedules.keep();
    await this.actions.keep(this.#room());
    await this.calendars.keep();
  }

  /**
   * One batch of due runs, of a lane's accounts or of all; starts its effects. Returns how many runs were due.
   * @param room runs that it may take
   */
  async step(lane: DequeueLane | null = null, room = this.#room()): Promise<number> {
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
              until: this.#cadence.horizon(),
              limit,
              lane,
              floor: this.#floor,
              answered,
              atOnce: this.#cadence.atOnce ? this.#effects.underWay.free : 0,
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
      this.#cadence.took(tookMs);
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
    const dequeuing = granted[0]?.request.claim.sendId ?? calls[0]?.callId;
    if (dequeuing !== undefined) await faults('claiming', dequeuing);
  }

  /** Effects and calls under way; what was answered and is only to be confirmed is not among them. */
  #underWay(): number {
    return this.#effects.underWay.size + this.#calls.underWay.size - this.#answered.confirming;
  }

  /** Runs that the next batch may take while `claiming` are being taken by another; not above 0 when there is no room for what they may ask for. */
  #room(dequeuing = 0): number {
    return Math.min(this.#batchSize.runs, this.#pace.mostUnderWay - this.#underWay() - dequeuing);
  }

  /** Waits for the effects and calls under way. */
  async settle(ms = DRAIN_MS): Promise<boolean> {
    const drained = await Promise.all([this.#effects.underWay.drain(ms), this.#calls.underWay.drain(ms)]);
    return drained.every(Boolean);
  }

  /** Whether there may be sends of unknown outcome. */
  #mayLookUp(): boolean {
    return this.#unknown > 0 || this.#cadence.outOfDate;
  }

  async #planIdle(): Promise<IdlePlan> {
    const { claim, clock, metrics } = this.#deps;
    const left = await claim.tx((tx) => planIdle(tx, clock.now(), DOABLE));
    this.#cadence.asked();
    this.#unknown = left.unknownSends;
    metrics.unknown.set(left.unknownSends);
    await this.#budgets.keep();
    const idle =
      this.#underWay() === 0 &&
      !this.#schedules.busy &&
      !this.calendars.busy &&
      this.#answered.size === 0 &&
      left.openSends === 0 &&
      left.nextLookupMs === null &&
      (left.nextDue ?? Number.POSITIVE_INFINITY) > clock.now();
    if (idle) await this.#idleness.rests((left.nextDue ?? Number.POSITIVE_INFINITY) - clock.now());
    else {
      this.#idleness.waiting();
      this.#cadence.worked();
    }
    return left;
  }

  #fail(error: unknown): void {
    this.#fatal ??= error;
    this.#stop.abort(error);
    if (!(error instanceof FencedError))
      this.#deps.log.error({ err: error }, 'the engine stops; a new epoch will recover');
  }
}
