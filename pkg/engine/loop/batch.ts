import type { Tx } from '../../postgres/database.ts';
import type { DequeueLane } from '../../store/runs/dequeue-lane.ts';
import { nextDue } from '../../store/runs/plan-idle.ts';
import { dequeue, dequeueContinuations, type RunRow } from '../../store/runs/runs.ts';
import { claimCallRequests } from '../calls/claim-call-requests.ts';
import type { GrantedCall } from '../calls/granted-call.ts';
import { DOABLE } from '../doable.ts';
import { claimEffects, type GrantedEffect } from '../ledger/claim-effects.ts';
import { confirmContinuations } from '../ledger/confirm-continuations.ts';
import { advanceBatch } from '../walk/advance-batch.ts';
import type { GraphCache } from '../walk/graph-cache.ts';
import { handOverAll } from '../walk/hand-off-step.ts';
import type { StepCount } from '../walk/step.ts';
import { writeBack } from '../walk/write-back.ts';
import type { TakenRun } from './continuations.ts';
import type { DequeueFloor } from './dequeue-floor.ts';

export interface BatchResult {
  /** Runs that were due. */
  runs: number;
  granted: GrantedEffect[];
  /** Runs whose send it confirmed. */
  confirmed: ReadonlySet<string>;
  calls: GrantedCall[];
  steps: StepCount[];
  /** Age of the oldest due run, ms product time. */
  lagMs: number;
  /** When all is written; then: when work of the workspace is due next (epoch ms product time; after a full batch: now), null: nothing is known of. */
  written: Promise<number | null>;
}

export interface BatchOptions {
  workspaceId: string;
  now: number;
  /** Runs due until then are taken, at or after `now`: what is about to be due is made ready before (cadence.ts). */
  until: number;
  limit: number;
  /** Only runs of its accounts are taken; absent: all. */
  lane?: DequeueLane | null;
  /** Where its claims begin to look; absent: at the beginning. */
  floor?: DequeueFloor;
  /** Runs that go on because their send was answered; no more than `limit`. */
  answered: readonly TakenRun[];
  /** Effects that may be dispatched with their claim: as many as can be performed at once. */
  atOnce: number;
  /** Runs whose effect is under way. */
  busy: readonly string[];
  cache: GraphCache;
  /** Texts of the writer in use cost nothing. */
  writerIsFree: boolean;
  newId: () => string;
}

/** One batch in one transaction: claims due runs, walks them, claims effects, writes everything back. */
export async function runBatch(tx: Tx, options: BatchOptions): Promise<BatchResult> {
  const { runs, confirming } = await dequeueRuns(tx, options);
  const confirmed = new Set(confirming.map((one) => one.runId));
  if (runs.length === 0)
    return { runs: 0, granted: [], confirmed, calls: [], steps: [], lagMs: 0, written: nextDue(tx, DOABLE) };
  const dueTimes = runs.map((run) => run.dueAt ?? options.now);
  // Each walks at its own instant; what they ask for is judged at one, at which the last of them is due.
  const now = Math.max(options.now, ...dueTimes);
  const { advances, snap } = await advanceBatch(tx, { ...options, begunAt: options.now, now }, runs, () =>
    confirmContinuations(tx, options.now, runs, confirming),
  );
  // What was made ready before it is due has its second look when it is.
  const granted = await claimEffects(tx, advances, snap, now === options.now ? options.atOnce : 0);
  await handOverAll(tx, snap.now, advances);
  const calls = await claimCallRequests(tx, advances, snap, options.writerIsFree);
  const { written: walked } = await writeBack(tx, snap, advances);
  // As many were due as were asked for: more may be due now.
  const next = runs.length >= options.limit ? Promise.resolve(now) : nextDue(tx, DOABLE);
  return {
    runs: runs.length,
    granted,
    confirmed,
    calls,
    steps: advances.flatMap((walk) => walk.steps),
    lagMs: Math.max(0, options.now - Math.max(Math.min(...dueTimes), 1)),
    written: bothDone(walked, next),
  };
}

/** A function of its own: what it leaves behind keeps no batch in memory while the database writes it. */
function bothDone(walked: Promise<unknown>, next: Promise<number | null>): Promise<number | null> {
  const written = Promise.all([walked, next]).then(() => next);
  // The one who commits awaits it; a transaction that ends before that has a reason of its own.
  written.catch(() => undefined);
  return written;
}

/** What has an answer goes on first, as if it were due now; what is due fills the batch up. */
async function dequeueRuns(tx: Tx, options: BatchOptions): Promise<{ runs: RunRow[]; confirming: TakenRun[] }> {
  const { now, limit, answered } = options;
  const left = limit - answered.length;
  const [going, due] = await Promise.all([
    dequeueContinuations(tx, answered),
    left > 0 ? dequeueFurther(tx, options, left) : [],
  ]);
  const locked = new Set(going.map((run) => run.id));
  return {
    runs: [...going.map((run) => ({ ...run, dueAt: now })), ...due],
    // Whose run is elsewhere by now is settled by itself.
    confirming: answered.filter((one) => one.confirm && locked.has(one.runId)),
  };
}

/** Due runs beside those that have an answer. */
async function dequeueFurther(tx: Tx, options: BatchOptions, limit: number): Promise<RunRow[]> {
  const { until, busy, answered, lane = null, floor } = options;
  const taken = [...busy, ...answered.map((one) => one.runId)];
  const due = await dequeue(tx, until, limit, taken, lane, floor?.next(lane));
  floor?.found(lane, due, limit);
  return due.map((run) => standing(run, until));
}

/**
 * A run does nothing before it stands at its node: the step ahead may be done ahead of its time, and the one who is told to look
 * again meanwhile is no earlier for it. An entry that lies further ahead is of a clock that was set back.
 */
function standing(run: RunRow, until: number): RunRow {
  return run.enteredAt > (run.dueAt ?? 0) ? { ...run, dueAt: Math.min(run.enteredAt, until) } : run;
}
