import type { SIGNAL_TYPES } from './condition.ts';

/** Weight of a signal type. Source: catalog `defaults.signals`. */
export interface SignalWeight {
  points: number;
  windowDays: number;
}
export type SignalType = (typeof SIGNAL_TYPES)[number];

export const DEFAULT_SIGNAL_WEIGHTS: Readonly<Record<SignalType, SignalWeight>> = {
  job_change: { points: 15, windowDays: 60 },
  new_post: { points: 5, windowDays: 14 },
  funding_round: { points: 20, windowDays: 90 },
  headcount_growth: { points: 10, windowDays: 60 },
};
/** All signals of a lead together never add more. */
export const SIGNAL_CAP = 50;
const DAY_MS = 86_400_000;

/** Points of one signal now: linear from full to 0 at the end of its window; a signal of the future has none yet. */
export function signalPoints(occurredAt: number, now: number, weight: SignalWeight): number {
  const age = (now - occurredAt) / DAY_MS;
  if (age < 0 || weight.windowDays <= 0 || age >= weight.windowDays) return 0;
  return weight.points * (1 - age / weight.windowDays);
}

/** Sum of all signals, capped, rounded to whole points. `occurredAt` epoch ms; unknown types count nothing. */
export function signalScore(
  signals: readonly { type: string; occurredAt: number }[],
  now: number,
  weights: Readonly<Record<string, SignalWeight>> = DEFAULT_SIGNAL_WEIGHTS,
): number {
  let sum = 0;
  for (const signal of signals) {
    const weight = Object.hasOwn(weights, signal.type) ? weights[signal.type] : undefined;
    if (weight) sum += signalPoints(signal.occurredAt, now, weight);
  }
  return Math.round(Math.min(SIGNAL_CAP, sum));
}
