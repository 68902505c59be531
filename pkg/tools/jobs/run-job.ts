import { messageOf } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { extendHold } from '../../store/credits/credits.ts';
import {
  advanceBackgroundJob,
  type BackgroundJob,
  dequeueBackgroundJob,
  failBackgroundStep,
  holdBackgroundJob,
  type JobStep,
  leaveBackgroundJob,
  MAX_FAILURES,
  statusOfJob,
  stopOfJob,
} from '../../store/jobs/background-jobs.ts';
import { handlerOf, JOB_KINDS } from './job-handlers.ts';
import type { JobContext } from './job-step.ts';

/** Product ms until a job of a stopped workspace looks again. */
const STOPPED_REST_MS = 15 * 60_000;

/** How much of a job is done at a stretch. */
export interface Stretch {
  steps: number;
  /** Epoch ms, real time: no step begins from then on. */
  until: number;
}

/** Works on a claimed job until it is over, rests, or the stretch ends. @returns how it stands */
export async function runJob(
  context: JobContext,
  holder: string,
  claimed: BackgroundJob,
  { steps, until }: Stretch,
): Promise<'over' | 'rests' | 'left'> {
  if (claimed.failures >= MAX_FAILURES) {
    await endLost(context, holder, claimed);
    return 'over';
  }
  let job = claimed;
  try {
    for (let step = 0; step < steps && !context.signal?.aborted; step++) {
      const done = await oneStep(context, holder, job);
      if (!done) return 'left';
      if (done.kind === 'over' || done.kind === 'failed') return 'over';
      if (done.kind === 'rest') return 'rests';
      job = { ...job, work: done.work };
      if (context.clocks.real.now() >= until) break;
    }
  } catch (error) {
    await failed(context, holder, job, error);
    throw error;
  }
  await context.tx((tx) => leaveBackgroundJob(tx, holder, job.id, context.clocks.product.now()));
  return 'left';
}

/**
 * Begins a job at once, so that a small one is done when its tool answers; a server goes on with what is left.
 * @returns how the job stands
 */
export async function beginJob(context: JobContext, jobId: string, steps: number): Promise<string> {
  const holder = context.ids.uuid();
  const job = await context.tx((tx) =>
    dequeueBackgroundJob(tx, holder, JOB_KINDS, context.clocks.product.now(), jobId),
  );
  // The job is queued: what fails now is tried again by a server.
  if (job) await runJob(context, holder, job, { steps, until: Number.POSITIVE_INFINITY }).catch(() => undefined);
  return context.tx((tx) => statusOfJob(tx, jobId));
}

async function oneStep(context: JobContext, holder: string, job: BackgroundJob): Promise<JobStep | undefined> {
  const write = await writeOf(context, job);
  return context.tx(async (tx) => {
    if (!(await holdBackgroundJob(tx, holder, job.id))) return undefined;
    const now = context.clocks.product.now();
    const paid = job.holdId === null || (await extendHold(tx, job.holdId));
    const step = paid ? await write(tx) : await unpaid(tx, job, now);
    await advanceBackgroundJob(tx, job.id, step, now);
    return step;
  });
}

/** What a step writes: nothing where the workspace is stopped, which stops all that is done through its accounts. */
async function writeOf(context: JobContext, job: BackgroundJob): Promise<(tx: Tx) => Promise<JobStep>> {
  const stop = await context.tx((tx) => stopOfJob(tx, job));
  if (stop === null) return handlerOf(job.kind).step(context, job);
  const now = context.clocks.product.now();
  if (stop === 'deleted') return (tx) => givenUp(tx, job, now, 'the workspace was deleted');
  return () => Promise.resolve({ kind: 'rest', work: job.work, notBefore: now + STOPPED_REST_MS });
}

/** Nothing is delivered that nobody pays for: no server worked on the job for longer than its credits were held. */
function unpaid(tx: Tx, job: BackgroundJob, now: number): Promise<JobStep> {
  return givenUp(tx, job, now, 'the credits held for it have expired: call the tool again');
}

async function givenUp(tx: Tx, job: BackgroundJob, now: number, error: string): Promise<JobStep> {
  await handlerOf(job.kind).giveUp(tx, job, now, error);
  return { kind: 'failed', work: job.work, error };
}

/** Servers ended while they worked on it, one after the other: the job is given up, for the next would end too. */
async function endLost(context: JobContext, holder: string, job: BackgroundJob): Promise<void> {
  const now = context.clocks.product.now();
  const error = `${job.failures} tries in a row failed or lost their server: call the tool again, with less where that is possible`;
  await context.tx(async (tx) => {
    if (!(await holdBackgroundJob(tx, holder, job.id))) return;
    await advanceBackgroundJob(tx, job.id, await givenUp(tx, job, now, error), now);
  });
}

/** A step failed: it is tried again after a while, and the job given up after some in a row. */
async function failed(context: JobContext, holder: string, job: BackgroundJob, error: unknown): Promise<void> {
  const now = context.clocks.product.now();
  await context.tx(async (tx) => {
    if (!(await failBackgroundStep(tx, holder, job.id, messageOf(error)))) return;
    await handlerOf(job.kind).giveUp(tx, job, now, messageOf(error));
    await advanceBackgroundJob(tx, job.id, { kind: 'failed', work: job.work, error: messageOf(error) }, now);
  });
}
