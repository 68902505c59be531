import type { Clocks } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** Real ms between looks for jobs that nobody works on. */
const POLL_MS = 1_000;

/** A worker of one kind of jobs. */
export interface Duty {
  clocks: Clocks;
  log: Logger;
  /** Said when a round fails; the next one tries again. */
  rests: string;
  /** What is to be done now and then beside the jobs, at most every `upkeepMs` of real time. */
  upkeep: () => Promise<unknown>;
  upkeepMs: number;
  /** Works on the next job. @returns whether there was one */
  next: () => Promise<boolean>;
}

/** Works off jobs until the signal aborts; a job under way is left for the next worker. */
export async function workOff(
  { clocks, log, rests, upkeep, upkeepMs, next }: Duty,
  signal: AbortSignal,
): Promise<void> {
  let keptAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    try {
      if (clocks.real.now() - keptAt >= upkeepMs) {
        keptAt = clocks.real.now();
        await upkeep();
      }
      if (await next()) continue;
    } catch (error) {
      log.warn({ err: messageOf(error) }, rests);
    }
    await clocks.real.sleep(POLL_MS, signal).catch(() => undefined);
  }
}
