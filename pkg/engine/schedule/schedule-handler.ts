import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';

/** What a step of a scheduled run may use; it runs with the rights of its workspace. */
export interface ScheduleContext {
  /** The transaction in which the step and where it leads are kept together. */
  tx: Tx;
  run: ScheduledRun;
  /** Epoch ms, product time. */
  now: number;
  newId: () => string;
}

/** Where a step leads; `result` is what the run has done so far, all steps together. */
export type ScheduleStep =
  | { kind: 'more'; cursor: JsonObject; result: JsonObject }
  /** Goes on at `dueAt` (epoch ms, product time). */
  | { kind: 'rest'; cursor: JsonObject; result: JsonObject; dueAt: number }
  | { kind: 'done'; result: JsonObject }
  | { kind: 'failed'; result: JsonObject; error: string };

/** Does one kind of scheduled work, step by step from a cursor of its own: `{}` at the beginning. */
export interface ScheduleHandler {
  kind: string;
  run(context: ScheduleContext, cursor: JsonObject): Promise<ScheduleStep>;
}
