import type { PeriodicJob } from '../../base/periodic.ts';
import type { Database } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { againWhenFree } from '../../postgres/taken-lock.ts';
import { dequeueBackgroundJob, keepJobHolds } from '../../store/jobs/background-jobs.ts';
import { JOB_KINDS } from './job-handlers.ts';
import type { JobContext } from './job-step.ts';
import { runJob } from './run-job.ts';

/** Real ms between rounds that keep the credits of waiting jobs. */
const KEEP_MS = 60_000;
/** Real ms between looks for jobs that nobody works on. */
const POLL_MS = 1_000;
/** Real ms for which a step tries a lock that an import holds: nobody waits for it. */
const PATIENCE_MS = 60_000;
/** Real ms for one job at a stretch, then others have their turn: an import of hours holds up nobody for longer. */
const STRETCH_MS = 60_000;
/** Real ms for a stretch with its last step. */
const WITHIN_MS = 300_000;

export interface JobWorkerDeps extends Omit<JobContext, 'tx' | 'signal'> {
  db: Pick<Database, 'tx'>;
  /** Real ms for one job at a stretch; 60,000 unless given. */
  stretchMs?: number;
}

/** Works off background jobs that their caller did not finish, one at a time; every replica of the server runs one. */
export class JobWorker {
  readonly #deps: JobWorkerDeps;
  readonly #holder: string;

  constructor(deps: JobWorkerDeps) {
    this.#deps = deps;
    this.#holder = deps.ids.uuid();
  }

  /** What the server does again and again; a job under way is left for the next worker when its signal aborts. */
  periodicJobs(): PeriodicJob[] {
    const { db } = this.#deps;
    return [
      {
        name: 'background-job-holds',
        everyMs: KEEP_MS,
        withinMs: KEEP_MS,
        run: () => db.tx({ kind: 'platform' }, keepJobHolds),
      },
      { name: 'background-jobs', everyMs: POLL_MS, withinMs: WITHIN_MS, run: (signal) => this.next(signal) },
    ];
  }

  /** Works for a stretch on the job whose turn it is (`dequeueBackgroundJob`). @returns whether there was one */
  async next(signal?: AbortSignal): Promise<boolean> {
    const { db, clocks, ids, providers, connections, enrichment, bucket, stretchMs = STRETCH_MS } = this.#deps;
    const now = clocks.product.now();
    const job = await db.tx({ kind: 'platform' }, (tx) => dequeueBackgroundJob(tx, this.#holder, JOB_KINDS, now));
    if (!job) return false;
    const scope = { kind: 'workspaces' as const, ids: [job.workspaceId] };
    const context = {
      tx: <T>(work: Parameters<typeof db.tx<T>>[1]) =>
        againWhenFree(() => againAfterDeadlock(() => db.tx(scope, work)), PATIENCE_MS),
      clocks,
      ids,
      providers,
      connections,
      enrichment,
      bucket,
      signal,
    };
    const until = clocks.real.now() + stretchMs;
    await runJob(context, this.#holder, job, { steps: Number.POSITIVE_INFINITY, until });
    return true;
  }
}
