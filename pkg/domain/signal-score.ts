import { SIGNAL_TYPES } from './condition.ts';

export type SignalType = (typeof SIGNAL_TYPES)[number];

/** How the points of a signal fade over its window. */
export const SIGNAL_DECAYS = ['none', 'linear', 'half_life'] as const;
export type SignalDecay = (typeof SIGNAL_DECAYS)[number];

/** Weight of a signal type. Source: catalog `defaults.signals`, record SignalWeight. */
export interface SignalWeight {
  points: number;
  /** A signal older than this adds nothing, whatever the decay. */
  windowDays: number;
  /** Default: linear to 0 at the end of the window. */
  decay?: SignalDecay | undefined;
  /** For half_life: days after which half of the points is left. */
  halfLifeDays?: number | null | undefined;
}

/** What signals add in one campaign. */
export interface SignalRules {
  weights: Readonly<Record<string, SignalWeight>>;
  /** Most points that all signals of a lead add together. */
  cap: number;
}

export const DEFAULT_SIGNAL_WEIGHTS: Readonly<Record<SignalType, SignalWeight>> = {
  job_change: { points: 15, windowDays: 60, decay: 'linear' },
  new_post: { points: 5, windowDays: 14, decay: 'linear' },
  funding_round: { points: 20, windowDays: 90, decay: 'linear' },
  headcount_growth: { points: 10, windowDays: 60, decay: 'linear' },
};
/** All signals of a lead together never add more, unless the campaign says otherwise. */
export const SIGNAL_CAP = 50;
const DAY_MS = 86_400_000;

/** A signal as the score sees it. `occurredAt` epoch ms UTC. */
export interface ScoredSignal {
  type: string;
  occurredAt: number;
  title?: string;
}

/** One line of the explanation; lines add up to the score. Catalog record LeadScore.reasons. */
export interface SignalReason {
  criterion: string;
  matched: boolean;
  points: number;
  evidence: string;
}

/** Points of one signal now; a signal of the future, or past its window, has none. */
export function signalPoints(occurredAt: number, now: number, weight: SignalWeight): number {
  const age = (now - occurredAt) / DAY_MS;
  if (age < 0 || weight.windowDays <= 0 || age >= weight.windowDays) return 0;
  switch (weight.decay ?? 'linear') {
    case 'none':
      return weight.points;
    case 'half_life':
      return weight.points * 0.5 ** (age / (weight.halfLifeDays ?? weight.windowDays / 2));
    default:
      return weight.points * (1 - age / weight.windowDays);
  }
}

/**
 * The sum of all signals, capped, rounded to whole points, with one line for each signal that counts, and one for the cap
 * where it binds. Unknown types count nothing.
 */
export function explainSignals(
  signals: readonly ScoredSignal[],
  now: number,
  rules: SignalRules,
): { score: number; reasons: SignalReason[] } {
  const reasons: SignalReason[] = [];
  let exact = 0;
  let given = 0;
  for (const signal of [...signals].sort(newestFirst)) {
    const weight = Object.hasOwn(rules.weights, signal.type) ? rules.weights[signal.type] : undefined;
    const points = weight ? signalPoints(signal.occurredAt, now, weight) : 0;
    if (!weight || points <= 0) continue;
    exact += points;
    // Rounded so that the lines add up to the rounded sum.
    const shown = Math.round(exact) - given;
    given += shown;
    reasons.push({
      criterion: `signal:${signal.type}`,
      matched: true,
      points: shown,
      evidence: lineOf(signal, now, weight),
    });
  }
  const score = Math.round(Math.min(rules.cap, exact));
  if (score < given) {
    const evidence = `signals add ${rules.cap} points at most`;
    reasons.push({ criterion: 'signal_cap', matched: true, points: score - given, evidence });
  }
  return { score, reasons };
}

/** A fixed order, so that the same signals give the same lines. */
function newestFirst(a: ScoredSignal, b: ScoredSignal): number {
  return b.occurredAt - a.occurredAt || (a.type < b.type ? -1 : 1);
}

function lineOf(signal: ScoredSignal, now: number, weight: SignalWeight): string {
  const days = Math.floor((now - signal.occurredAt) / DAY_MS);
  const age = days === 0 ? 'today' : `${days} ${days === 1 ? 'day' : 'days'} ago`;
  return `${signal.title || signal.type}, ${age}; ${weight.points} points ${decayOf(weight)}`;
}

function decayOf({ decay, windowDays, halfLifeDays }: SignalWeight): string {
  if (decay === 'none') return `for ${windowDays} days`;
  if (decay === 'half_life') return `halving every ${halfLifeDays ?? windowDays / 2} days, for ${windowDays} days`;
  return `fading over ${windowDays} days`;
}

/** The rules of a campaign: its own where it has some, else the platform's. */
export function signalRulesOf(settings: {
  signalWeights?: Readonly<Record<string, number>> | undefined;
  signalRules?: ({ cap?: number | undefined } & Partial<Record<SignalType, Partial<SignalWeight>>>) | undefined;
}): SignalRules {
  const { signalWeights, signalRules } = settings;
  const weights = Object.fromEntries(
    SIGNAL_TYPES.map((type): [string, SignalWeight] => {
      const usual = DEFAULT_SIGNAL_WEIGHTS[type];
      const own = signalRules?.[type];
      return [
        type,
        {
          points: signalWeights?.[type] ?? usual.points,
          windowDays: own?.windowDays ?? usual.windowDays,
          decay: own?.decay ?? 'linear',
          halfLifeDays: own?.halfLifeDays ?? null,
        },
      ];
    }),
  );
  return { weights, cap: signalRules?.cap ?? SIGNAL_CAP };
}
