import { messageOf } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import {
  advanceBackgroundJob,
  type BackgroundJob,
  claimBackgroundJob,
  failBackgroundStep,
  holdBackgroundJob,
  type JobStep,
  leaveBackgroundJob,
  statusOfJob,
} from '../../store/background-jobs.ts';
import { extendHold } from '../../store/credits.ts';
import { JOB_DUTIES } from './job-duties.ts';
import type { JobContext } from './job-step.ts';

/** Works on a claimed job until it is over, rests, or `steps` are done. @returns how it stands */
export async function runJob(
  context: JobContext,
  holder: string,
  claimed: BackgroundJob,
  steps: number,
): Promise<'over' | 'rests' | 'left'> {
  let job = claimed;
  try {
    for (let step = 0; step < steps && !context.signal?.aborted; step++) {
      const done = await oneStep(context, holder, job);
      if (!done) return 'left';
      if (done.kind === 'over' || done.kind === 'failed') return 'over';
      if (done.kind === 'rest') return 'rests';
      job = { ...job, work: done.work };
    }
  } catch (error) {
    await failed(context, holder, job, error);
    throw error;
  }
  await context.tx((tx) => leaveBackgroundJob(tx, holder, job.id));
  return 'left';
}

/**
 * Begins a job at once, so that a small one is done when its tool answers; a server goes on with what is left.
 * @returns how the job stands
 */
export async function beginJob(context: JobContext, jobId: string, steps: number): Promise<string> {
  const holder = context.ids.uuid();
  const job = await context.tx((tx) => claimBackgroundJob(tx, holder, context.clocks.product.now(), jobId));
  // The job is queued: what fails now is tried again by a server.
  if (job) await runJob(context, holder, job, steps).catch(() => undefined);
  return context.tx((tx) => statusOfJob(tx, jobId));
}

async function oneStep(context: JobContext, holder: string, job: BackgroundJob): Promise<JobStep | undefined> {
  const write = await JOB_DUTIES[job.kind].step(context, job);
  return context.tx(async (tx) => {
    if (!(await holdBackgroundJob(tx, holder, job.id))) return undefined;
    const now = context.clocks.product.now();
    const paid = job.holdId === null || (await extendHold(tx, job.holdId));
    const step = paid ? await write(tx) : await unpaid(tx, job, now);
    await advanceBackgroundJob(tx, job.id, step, now);
    return step;
  });
}

/** Nothing is delivered that nobody pays for: no server worked on the job for longer than its credits were held. */
async function unpaid(tx: Tx, job: BackgroundJob, now: number): Promise<JobStep> {
  const error = 'the credits held for it have expired: call the tool again';
  await JOB_DUTIES[job.kind].giveUp(tx, job, now, error);
  return { kind: 'failed', work: job.work, error };
}

/** A step failed: it is tried again after a while, and the job given up after some in a row. */
async function failed(context: JobContext, holder: string, job: BackgroundJob, error: unknown): Promise<void> {
  const now = context.clocks.product.now();
  await context.tx(async (tx) => {
    if (!(await failBackgroundStep(tx, holder, job.id, messageOf(error)))) return;
    await JOB_DUTIES[job.kind].giveUp(tx, job, now, messageOf(error));
    await advanceBackgroundJob(tx, job.id, { kind: 'failed', work: job.work, error: messageOf(error) }, now);
  });
}
