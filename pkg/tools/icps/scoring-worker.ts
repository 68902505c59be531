import type { Clocks } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { refreshLists } from '../../store/lists/lead-lists.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import {
  advanceJob,
  cancelScoring,
  dequeueJob,
  failJob,
  holdJob,
  leaveJob,
  queueFading,
} from '../../store/scoring/scoring-jobs.ts';
import { finishPass, readScoringRules, scoreChunk } from '../../store/scoring/scoring-pass.ts';

/** Leads scored per transaction. */
export const SCORING_CHUNK = 2_000;
/** Real ms between looks for scores that have faded for a day. */
const FADING_MS = 30_000;
/** Real ms between looks for jobs that nobody works on. */
const POLL_MS = 1_000;
/** Real ms for one job at a stretch; what is left of it goes on in the next. */
const WITHIN_MS = 1_800_000;

export interface ScoringDeps {
  db: Pick<Database, 'tx'>;
  clocks: Clocks;
  ids: Ids;
}

/**
 * One chunk of a job, in one transaction: a crash loses a chunk at most, and the one who takes the job over goes on behind
 * the last one.
 * @returns progress, or undefined when the job is over or another worker's
 */
export async function scoringStep(
  tx: Tx,
  step: { holder: string; jobId: string; now: number },
): Promise<{ done: number; total: number; over: boolean } | undefined> {
  const job = await holdJob(tx, step.holder, step.jobId);
  if (!job) return undefined;
  const rules = await readScoringRules(tx, job.icpId);
  if (!rules) {
    // Deleted as the pass was queued: neither of the two saw the other.
    await cancelScoring(tx, job.icpId, step.now);
    return undefined;
  }
  const { afterLead, passAt, onlyFading } = job;
  const chunk = await scoreChunk(tx, rules, { afterLead, limit: SCORING_CHUNK, passAt, onlyFading });
  const over = !chunk.more && (await finishPass(tx, rules, passAt, onlyFading));
  if (over) {
    await refreshLists(tx, rules.workspaceId, step.now);
    await wakeIfWorking(tx, rules.workspaceId, step.now, 'scores changed');
  }
  const finishedAt = over ? step.now : null;
  await advanceJob(tx, job.id, { scored: chunk.scored, afterLead: chunk.last, finishedAt });
  const done = job.done + chunk.scored;
  return { done, total: Math.max(job.total, done), over };
}

/** Works off scoring jobs that their caller did not finish, one at a time; every replica of the server runs one. */
export class ScoringWorker {
  readonly #deps: ScoringDeps;
  readonly #holder: string;

  constructor(deps: ScoringDeps) {
    this.#deps = deps;
    this.#holder = deps.ids.uuid();
  }

  /** What the server does again and again; a job under way is left for the next worker when its signal aborts. */
  periodicJobs(): PeriodicJob[] {
    const { clocks, db, ids } = this.#deps;
    return [
      {
        name: 'score-fading',
        everyMs: FADING_MS,
        withinMs: FADING_MS,
        run: () => db.tx({ kind: 'platform' }, (tx) => queueFading(tx, ids.uuid, clocks.product.now())),
      },
      { name: 'scoring-jobs', everyMs: POLL_MS, withinMs: WITHIN_MS, run: (signal) => this.next(signal) },
    ];
  }

  /** Works on the oldest open job that nobody holds. @returns whether there was one */
  async next(signal?: AbortSignal): Promise<boolean> {
    const { db, clocks } = this.#deps;
    const job = await db.tx({ kind: 'platform' }, (tx) => dequeueJob(tx, this.#holder));
    if (!job) return false;
    const scoped = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      againAfterDeadlock(() => db.tx({ kind: 'workspaces', ids: [job.workspaceId] }, work));
    const step = { holder: this.#holder, jobId: job.id };
    try {
      for (;;) {
        const progress = await scoped((tx) => scoringStep(tx, { ...step, now: clocks.product.now() }));
        if (!progress || progress.over) return true;
        if (signal?.aborted) break;
      }
      await scoped((tx) => leaveJob(tx, this.#holder, job.id));
    } catch (error) {
      await scoped((tx) => failJob(tx, this.#holder, job.id, messageOf(error), clocks.product.now()));
      throw error;
    }
    return true;
  }
}
