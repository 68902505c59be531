import { SystemClock } from '../../pkg/base/clock.ts';

/** Longest test file of a suite whose time has an end, on a slow machine (real seconds): nothing is begun when less is left. */
export const LONGEST_FILE_SECONDS = 480;

/**
 * Gives this process and those that it starts so many minutes from now, unless the one who started it gave it an end (`UNTIL`, epoch
 * ms by the machine's clock).
 */
export function endAfter(minutes: number): void {
  if (Number.isFinite(minutes)) process.env['UNTIL'] ??= String(new SystemClock().now() + minutes * 60_000);
}

/** Real seconds until the end, Infinity where there is none. */
export function secondsLeft(): number {
  const until = Number(process.env['UNTIL'] || Number.POSITIVE_INFINITY);
  return Math.max(0, (until - new SystemClock().now()) / 1_000);
}
