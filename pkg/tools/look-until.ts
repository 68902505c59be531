import { monotonicMs, sleepReal } from '../base/clock.ts';
import type { ToolContext } from './tool-context.ts';

/** Real ms that a caller waits for the outcome of what an executor does (catalog: timing now). */
export const OUTCOME_MS = 20_000;
/** Real ms between looks: the first soon, since an executor that is awake is quick. */
const FIRST_LOOK_MS = 50;
const MOST_MS = 1_000;

/**
 * Looks again and again for what an executor does, for so many real ms. The client that goes away ends the wait, and the work goes on.
 * @param look answers undefined to be asked again; once it is `late`, the caller has waited long enough, and it answers with what there is
 */
export async function lookUntil<T>(
  ctx: ToolContext,
  ms: number,
  look: (late: () => boolean) => Promise<T | undefined>,
): Promise<T> {
  const until = monotonicMs() + ms;
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, MOST_MS)) {
    const found = await look(() => monotonicMs() >= until);
    if (found !== undefined) return found;
    await sleepReal(pause, ctx.signal);
  }
}
