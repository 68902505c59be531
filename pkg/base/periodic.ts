import { type Clock, endWith } from './clock.ts';
import { messageOf } from './errors.ts';
import type { Logger } from './log.ts';
import type { WakeSignal } from './wake-signal.ts';

/** Share of the interval by which pauses differ: replicas that start together do not ask the database together for ever. */
const JITTER = 0.1;

/** Something that a process does again and again. */
export interface PeriodicJob {
  /** Label of its metrics and of its log lines, for example `credit-upkeep`. */
  name: string;
  /** Ms from the end of a run to the next, a tenth more or less. */
  everyMs: number;
  /** Ms that a run may take: its signal aborts then, and it counts as failed. */
  withinMs: number;
  /** One run. True: there is more to do, and the next run follows at once. @throws what the next run may get over */
  run: (signal: AbortSignal) => Promise<unknown>;
  /** Ends the pause. */
  wake?: WakeSignal;
}

/** What runs leave in metrics. */
export interface PeriodicObserver {
  /** A run ended without an error after `ms`. */
  done(name: string, ms: number): void;
  /** A run threw, or takes longer than it may. */
  failed(name: string): void;
}

/** What periodic jobs of a process share. */
export interface PeriodicHost {
  /** Real time. */
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  log: Logger;
  observer: PeriodicObserver;
}

/**
 * Runs a job at once and then every `everyMs`, until the signal aborts; resolves when the last run has ended. A run that fails
 * is logged and counted, and the next one tries again. Runs never overlap: one that ignores its signal holds up the
 * next one, and counts as failed once more each time its bound passes again.
 */
export async function runPeriodically(job: PeriodicJob, host: PeriodicHost, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const woken = job.wake?.next();
    if (await oneRun(job, host, signal)) continue;
    await pause(job.everyMs * (1 + JITTER * (2 * host.random() - 1)), host.clock, woken, signal);
  }
}

/** @returns whether there is more to do */
async function oneRun(job: PeriodicJob, host: PeriodicHost, signal: AbortSignal): Promise<boolean> {
  const { clock, log, observer } = host;
  const startedAt = clock.now();
  const run = new AbortController();
  const letGo = endWith(signal, run);
  const ended = new AbortController();
  const watching = watch(job, host, run, ended.signal);
  try {
    const more = await job.run(run.signal);
    // A run that was stopped says nothing of how long a run takes.
    if (!run.signal.aborted) observer.done(job.name, clock.now() - startedAt);
    return more === true && !signal.aborted;
  } catch (error) {
    // What was told to stop may say so by an error; what took too long is counted.
    if (run.signal.aborted) return false;
    observer.failed(job.name);
    log.warn({ job: job.name, err: messageOf(error) }, 'a periodic job failed; its next run tries again');
    return false;
  } finally {
    letGo();
    ended.abort();
    await watching;
  }
}

/** Aborts the run when its bound has passed, and counts a failure each time that it passes again. */
async function watch(
  { name, withinMs }: PeriodicJob,
  { clock, log, observer }: PeriodicHost,
  run: AbortController,
  ended: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(withinMs, ended).catch(() => undefined);
    if (ended.aborted) return;
    observer.failed(name);
    log.warn({ job: name, withinMs }, 'a periodic job takes longer than it may');
    run.abort(new Error(`took longer than ${withinMs} ms`));
  }
}

async function pause(ms: number, clock: Clock, woken: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  const awake = new AbortController();
  const letGo = endWith(signal, awake);
  const slept = clock.sleep(ms, awake.signal).catch(() => undefined);
  await Promise.race(woken ? [slept, woken] : [slept]);
  letGo();
  awake.abort();
}
