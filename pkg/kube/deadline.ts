import type { Clock } from '../base/clock.ts';

/** What a signal is aborted with when its time is over. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Runs `task` with a signal that aborts after `ms` of `clock`, or with `outer`. Waits for the task in any case: two
 * tasks of one key never overlap because one of them ignored its signal.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const deadline = new AbortController();
  clock.sleep(ms, timer.signal).then(
    () => deadline.abort(new DeadlineExceeded(`took longer than ${ms} ms`)),
    () => undefined,
  );
  try {
    return await task(AbortSignal.any([outer, deadline.signal]));
  } finally {
    timer.abort();
  }
}
