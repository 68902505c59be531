import { SystemClock } from '../../pkg/base/clock.ts';
import { patience } from '../tools/patience.ts';

/**
 * Resolves when `condition` gives something. A look that fails counts as "not yet", since on a cluster a server may be
 * away for a moment; what it said is told when the time is over.
 * @param withinMs real ms, longer where the machine is slow (`PATIENCE`)
 * @param lookMs real ms between two looks: each is a program or a request that competes with the cluster for the processor
 */
export async function eventually<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 60_000,
  lookMs = 250,
): Promise<T> {
  const clock = new SystemClock();
  const until = clock.now() + withinMs * patience();
  for (;;) {
    let said = '';
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      said = `: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (clock.now() > until) throw new Error(`never happened: ${what}${said}`);
    await clock.sleep(lookMs);
  }
}

/** Time limit of a test or hook in ms; longer where the machine is slow. */
export function minutes(count: number): number {
  return count * 60_000 * patience();
}

/** Arguments of kubectl or helm with their `--timeout` longer where the machine is slow. */
export function stretched(args: readonly string[]): string[] {
  const longer = (text: string): string =>
    text.replace(/^(--timeout=)?(\d+)([sm])$/, (_all, flag = '', count: string, unit: string) => {
      return `${flag}${Math.ceil(Number(count) * patience())}${unit}`;
    });
  return args.map((arg, index) =>
    arg.startsWith('--timeout=') || args[index - 1] === '--timeout' ? longer(arg) : arg,
  );
}
