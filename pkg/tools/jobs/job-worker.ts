import type { Logger } from '../../base/log.ts';
import type { Database } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { claimBackgroundJob, keepJobHolds } from '../../store/jobs/background-jobs.ts';
import type { JobContext } from './job-step.ts';
import { runJob } from './run-job.ts';
import { workOff } from './work-off.ts';

/** Real ms between rounds that keep the credits of waiting jobs. */
const KEEP_MS = 60_000;

export interface JobWorkerDeps extends Omit<JobContext, 'tx' | 'signal'> {
  db: Pick<Database, 'tx'>;
  log: Logger;
}

/** Works off background jobs that their caller did not finish, one at a time; every replica of the server runs one. */
export class JobWorker {
  readonly #deps: JobWorkerDeps;
  readonly #holder: string;

  constructor(deps: JobWorkerDeps) {
    this.#deps = deps;
    this.#holder = deps.ids.uuid();
  }

  /** Until the signal aborts; a job under way is left for the next worker. */
  run(signal: AbortSignal): Promise<void> {
    const { clocks, db, log } = this.#deps;
    const duty = {
      clocks,
      log,
      rests: 'a background job rests',
      upkeep: () => db.tx({ kind: 'platform' }, keepJobHolds),
      upkeepMs: KEEP_MS,
      next: () => this.next(signal),
    };
    return workOff(duty, signal);
  }

  /** Works on the oldest open job that is due and nobody's. @returns whether there was one */
  async next(signal?: AbortSignal): Promise<boolean> {
    const { db, clocks, ids, providers } = this.#deps;
    const now = clocks.product.now();
    const job = await db.tx({ kind: 'platform' }, (tx) => claimBackgroundJob(tx, this.#holder, now));
    if (!job) return false;
    const scope = { kind: 'workspaces' as const, ids: [job.workspaceId] };
    const context = {
      tx: <T>(work: Parameters<typeof db.tx<T>>[1]) => againAfterDeadlock(() => db.tx(scope, work)),
      clocks,
      ids,
      providers,
      signal,
    };
    await runJob(context, this.#holder, job, Number.POSITIVE_INFINITY);
    return true;
  }
}
