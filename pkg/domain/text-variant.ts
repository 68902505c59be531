import { hashFloat } from './random.ts';

/** What the built-in writer chooses its words by: a text that a person rejected is followed by another one, never by itself. */
export function seedOf(runId: string, nodeId: string, timesRejected: number): string {
  return timesRejected === 0 ? `${runId}/${nodeId}` : `${runId}/${nodeId}#${timesRejected}`;
}

/** Which of two wordings a seed chooses; the other one when its text was rejected once more. */
export function variantOf(kind: string, seed: string): 0 | 1 {
  const [, base = seed, times = '0'] = /^(.*)#(\d+)$/s.exec(seed) ?? [];
  const first = hashFloat(kind, base) < 0.5 ? 0 : 1;
  return (first + Number(times)) % 2 === 0 ? 0 : 1;
}
