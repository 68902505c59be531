import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from '../../postgres/database.ts';
import { claimBackgroundJob, keepJobHolds } from '../../store/background-jobs.ts';
import type { JobContext } from './job-step.ts';
import { runJob } from './run-job.ts';

/** Real ms between looks for jobs that nobody works on. */
const POLL_MS = 1_000;
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
  #keptAt = Number.NEGATIVE_INFINITY;

  constructor(deps: JobWorkerDeps) {
    this.#deps = deps;
    this.#holder = deps.ids.uuid();
  }

  /** Until the signal aborts; a job under way is left for the next worker. */
  async run(signal: AbortSignal): Promise<void> {
    const { clocks, log } = this.#deps;
    while (!signal.aborted) {
      try {
        await this.#keepHolds();
        if (await this.next(signal)) continue;
      } catch (error) {
        log.warn({ err: messageOf(error) }, 'a background job rests');
      }
      await clocks.real.sleep(POLL_MS, signal).catch(() => undefined);
    }
  }

  /** Works on the oldest open job that is due and nobody's. @returns whether there was one */
  async next(signal?: AbortSignal): Promise<boolean> {
    const { db, clocks, ids, providers } = this.#deps;
    const now = clocks.product.now();
    const job = await db.tx({ kind: 'platform' }, (tx) => claimBackgroundJob(tx, this.#holder, now));
    if (!job) return false;
    const scope = { kind: 'workspaces' as const, ids: [job.workspaceId] };
    const context = {
      tx: <T>(work: Parameters<typeof db.tx<T>>[1]) => db.tx(scope, work),
      clocks,
      ids,
      providers,
      signal,
    };
    await runJob(context, this.#holder, job, Number.POSITIVE_INFINITY);
    return true;
  }

  async #keepHolds(): Promise<void> {
    const now = this.#deps.clocks.real.now();
    if (now - this.#keptAt < KEEP_MS) return;
    this.#keptAt = now;
    await this.#deps.db.tx({ kind: 'platform' }, keepJobHolds);
  }
}
