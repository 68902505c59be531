import { monotonicMs, withDeadline } from '../../base/clock.ts';
import { FencedError, messageOf } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import {
  advanceScheduledRun,
  endScheduledRun,
  holdScheduledRun,
  leaveScheduledRun,
  type ScheduledRun,
  takeScheduledRun,
} from '../../store/schedules/scheduled-runs.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { comeDue } from './come-due.ts';
import { ASK_MS, type NextStep, type ScheduleHandler, type ScheduleStep } from './schedule-handler.ts';
import { SCHEDULE_HANDLERS } from './schedule-handlers.ts';

/** Real ms between rounds. */
const EVERY_MS = 1_000;
/** How often a run is taken, without a step in between that came to its end, before it is given up. */
const MAX_ATTEMPTS = 3;
/** Product ms after which a step that failed is tried again. */
const AGAIN_MS = 60_000;

/** A run, and the step that knows what was answered; absent: its handler decides by the cursor. */
interface At {
  run: ScheduledRun;
  next?: NextStep;
}

/** Does what is scheduled for the workspace, one run at a time, beside the batches. */
export class ScheduleRounds {
  readonly #deps: EngineDeps;
  readonly #handlers: readonly ScheduleHandler[];
  readonly #failed: (error: unknown) => void;
  readonly #moved: () => void;
  #doneAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #stopped = false;

  /**
   * @param listener `failed` hears what ended a round: the state in the database is not known any more; `moved`: something else may
   * be due next
   */
  constructor(
    deps: EngineDeps,
    listener: { failed: (error: unknown) => void; moved: () => void },
    handlers: readonly ScheduleHandler[] = SCHEDULE_HANDLERS,
  ) {
    this.#deps = deps;
    this.#failed = listener.failed;
    this.#moved = listener.moved;
    this.#handlers = handlers;
  }

  /** Makes the runs of what has come and begins work on the one that is due first, if a round is due and none is under way. */
  async keep(): Promise<void> {
    if (this.#running || monotonicMs() - this.#doneAt < Math.max(EVERY_MS, this.#deps.pace?.roundsMs ?? 0)) return;
    const run = await this.take();
    this.#doneAt = monotonicMs();
    if (!run) return;
    this.#running = this.work(run)
      .catch(this.#failed)
      .finally(() => {
        this.#running = undefined;
        this.hurry();
        this.#moved();
      });
  }

  /** Whether a run is worked on. */
  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** The next round is due now. */
  hurry(): void {
    this.#doneAt = Number.NEGATIVE_INFINITY;
  }

  /** Ends after the step under way: what is left is taken by the next executor. */
  async ended(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Makes the runs of what has come. @returns the run that was taken, if one is due */
  async take(): Promise<ScheduledRun | undefined> {
    const { claim, clock, newId, faults } = this.#deps;
    const kinds = this.#handlers.map((handler) => handler.kind);
    const run = await claim.tx(async (tx) => {
      const now = clock.now();
      if (!(await comeDue(tx, now, newId))) return undefined;
      const taken = await takeScheduledRun(tx, { epoch: claim.epoch, kinds, now });
      if (taken) await faults('scheduling', taken.id);
      return taken;
    });
    if (run) await faults('scheduled', run.id);
    return run;
  }

  /** Works on a run until it is over or rests. */
  async work(run: ScheduledRun): Promise<void> {
    if (run.attempts > MAX_ATTEMPTS) return this.#end(run, 'lost: each executor that worked on it ended', 'lost');
    let at: At | undefined = { run };
    while (at && !this.#stopped) at = await this.#step(at);
    if (at) await this.#leave(at.run, this.#deps.clock.now());
  }

  /** One step, in one transaction with where it leads, and what it asks outside. @returns where the run stands when there is more to do at once */
  async #step({ run, next }: At): Promise<At | undefined> {
    const { claim, clock, faults } = this.#deps;
    try {
      const handler = this.#handlerOf(run);
      const read = next ? undefined : await handler.read?.(this.#deps, run);
      const step = await claim.tx(async (tx) => {
        if (!(await holdScheduledRun(tx, run.id, claim.epoch))) return undefined;
        const context = { tx, run, now: clock.now(), newId: this.#deps.newId };
        const made = await (next ? next(context) : handler.run(context, run.cursor, read));
        await this.#note(tx, run, made, clock.now());
        await faults('stepping', run.id);
        return made;
      });
      await faults('stepped', run.id);
      if (step?.kind === 'done') this.#count(run, 'succeeded');
      if (step?.kind === 'failed') this.#count(run, 'failed');
      if (step) handler.count?.(this.#deps.metrics, run.result, step.result);
      if (step?.kind !== 'more' && step?.kind !== 'ask') return undefined;
      const { cursor, result } = step;
      if (step.kind === 'more') return { run: { ...run, cursor, result, attempts: 0 } };
      return { run: { ...run, cursor, result }, next: await this.#ask(step.ask) };
    } catch (error) {
      if (error instanceof FencedError || claim.signal.aborted) throw error;
      await this.#tryLater(run, error);
      return undefined;
    }
  }

  #ask(ask: (ScheduleStep & { kind: 'ask' })['ask']): Promise<NextStep> {
    const { claim, outside } = this.#deps;
    if (!outside) throw new Error('nothing outside can be asked here');
    return withDeadline(ASK_MS, claim.signal, (signal) => ask(outside, signal, this.#deps));
  }

  #handlerOf(run: ScheduledRun): ScheduleHandler {
    const handler = this.#handlers.find((one) => one.kind === run.kind);
    if (!handler) throw new Error(`nobody here does ${run.kind}`);
    return handler;
  }

  async #note(tx: Tx, run: ScheduledRun, step: ScheduleStep, now: number): Promise<void> {
    const { result } = step;
    if (step.kind === 'done') return endScheduledRun(tx, run, { state: 'succeeded', result, error: null, now });
    if (step.kind === 'failed') return endScheduledRun(tx, run, { state: 'failed', result, error: step.error, now });
    await advanceScheduledRun(tx, run.id, {
      cursor: step.cursor,
      result,
      dueAt: step.kind === 'rest' ? step.dueAt : null,
      now,
      asking: step.kind === 'ask',
    });
  }

  /** The step is tried again in a minute, and the run given up after some in a row. */
  async #tryLater(run: ScheduledRun, error: unknown): Promise<void> {
    const { clock, log } = this.#deps;
    log.warn({ scheduledRun: run.id, kind: run.kind, reason: messageOf(error) }, 'a step of a scheduled run failed');
    if (run.attempts >= MAX_ATTEMPTS) return this.#end(run, messageOf(error), 'failed');
    await this.#leave(run, clock.now() + AGAIN_MS);
  }

  #leave(run: ScheduledRun, dueAt: number): Promise<void> {
    const { claim } = this.#deps;
    return claim.tx((tx) => leaveScheduledRun(tx, run.id, claim.epoch, dueAt));
  }

  /** Fails with what it had done. */
  async #end(run: ScheduledRun, error: string, result: 'failed' | 'lost'): Promise<void> {
    const { claim, clock } = this.#deps;
    await claim.tx(async (tx) => {
      if (!(await holdScheduledRun(tx, run.id, claim.epoch))) return;
      await endScheduledRun(tx, run, { state: 'failed', error, now: clock.now() });
    });
    this.#count(run, result);
  }

  #count({ kind }: ScheduledRun, result: 'succeeded' | 'failed' | 'lost'): void {
    this.#deps.metrics.scheduledRuns.inc({ kind, result });
  }
}
