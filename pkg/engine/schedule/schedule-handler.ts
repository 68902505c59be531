import type { JsonObject } from '../../base/json.ts';
import type { EngineMetrics } from '../../metrics/executor-metrics.ts';
import type { Tx } from '../../postgres/database.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import type { Outside } from '../calls/outside.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** Longest question to a system outside, real ms: less than a lease of a run lasts without a sign of life. */
export const ASK_MS = 30_000;
/** Longest single answer within it, real ms: who waits longer is told so by the one who asks, and not by the end of the question. */
export const ANSWER_MS = 24_000;

/** What a step of a scheduled run may use; it runs with the rights of its workspace. */
export interface ScheduleContext {
  /** The transaction in which the step and where it leads are kept together. */
  tx: Tx;
  run: ScheduledRun;
  /** Epoch ms, product time. */
  now: number;
  newId: () => string;
}

/** A step that knows an answer already. */
export type NextStep = (context: ScheduleContext) => Promise<ScheduleStep>;

/** Where a step leads; `result` is what the run has done so far, all steps together. */
export type ScheduleStep =
  | { kind: 'more'; cursor: JsonObject; result: JsonObject }
  /** Goes on at `dueAt` (epoch ms, product time). */
  | { kind: 'rest'; cursor: JsonObject; result: JsonObject; dueAt: number }
  /**
   * Asks a system outside, between two transactions; what it resolves to is the next step. A process that ends in between leaves it to
   * the cursor to ask again.
   */
  | {
      kind: 'ask';
      cursor: JsonObject;
      result: JsonObject;
      ask: (outside: Outside, signal: AbortSignal, deps: EngineDeps) => Promise<NextStep>;
    }
  | { kind: 'done'; result: JsonObject }
  | { kind: 'failed'; result: JsonObject; error: string };

/** Does one kind of scheduled work, step by step from a cursor of its own: `{}` at the beginning. */
export interface ScheduleHandler {
  kind: string;
  /**
   * Reads what the next step needs from outside, before its transaction: what the step keeps of it is kept with where it leads, and a
   * step that is tried again reads again. Absent: it needs nothing.
   */
  read?(deps: EngineDeps, run: ScheduledRun): Promise<unknown>;
  /** @param read what `read` answered */
  run(context: ScheduleContext, cursor: JsonObject, read?: unknown): Promise<ScheduleStep>;
  /** Counts what a step came to, once it is kept. @param before what the run had done until then */
  count?(metrics: EngineMetrics, before: JsonObject, after: JsonObject): void;
  /** Begins the series that `count` writes at 0: what the first run of a short-lived executor counts is an increase then. */
  begin?(metrics: EngineMetrics): void;
}
