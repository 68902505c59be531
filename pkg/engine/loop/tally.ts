import type { StepCount } from '../walk/step.ts';

/** Equal steps of a batch, with how often each came: a counter is found by its labels once per kind, not per step. */
export function tally(steps: readonly StepCount[]): (StepCount & { times: number })[] {
  const kinds = new Map<string, StepCount & { times: number }>();
  let last: (StepCount & { times: number }) | undefined;
  for (const { nodeType, result } of steps) {
    if (last?.nodeType !== nodeType || last.result !== result) {
      const key = `${nodeType}/${result}`;
      last = kinds.get(key) ?? { nodeType, result, times: 0 };
      kinds.set(key, last);
    }
    last.times++;
  }
  return [...kinds.values()];
}
