import type { ActionClass } from './actions.ts';
import { hashFloat, normalFrom } from './random.ts';

/**
 * Human-like pacing of one account: gaps between actions, and sessions with pauses. Everything is drawn from the account
 * and the instant of an action, so that a restart gives the same plan and no two accounts run in lockstep.
 * Source: catalog `defaults.pacing`.
 */

/** How gaps of a class are drawn. */
interface GapShape {
  /** Its bounds as parts of those of contact. */
  low: number;
  top: number;
  /** Where the median lies between them, and the spread of the logarithm. */
  median: number;
  sigma: number;
  /** The word that its draws are seeded with: another word would draw other gaps for the plans that stand. */
  seed: string;
}

const SHAPES: Record<ActionClass, GapShape> = {
  contact: { low: 1, top: 1, median: 85 / 300, sigma: 0.45, seed: 'heavy' },
  passive: { low: 20 / 120, top: 90 / 420, median: 20 / 70, sigma: 0.5, seed: 'light' },
};
/** What applies where an account says nothing; weekendFactor null: weekends are like other days. Source: svc_update_network_account_settings. */
export const DEFAULT_PACE = {
  minGapSeconds: 120,
  maxGapSeconds: 420,
  sessionMinutes: 45,
  weekendFactor: null,
} as const;
/** An action that is up to so late keeps its moment (app.claim_sends); even then the least gap holds. */
const LATE_MS = 5_000;
const MINUTE_MS = 60_000;
const PAUSE = { min: 5 * MINUTE_MS, max: 20 * MINUTE_MS };
/** Mean gap of a class in ms, pauses not counted; for forecasts. */
export const MEAN_GAP_MS: Record<ActionClass, number> = { contact: 230_000, passive: 48_000 };

/** An account's own pace; what is absent is the platform's. Source: svc_update_network_account_settings. */
export interface PaceSettings {
  /** Gaps between actions that reach a person; those of passive ones follow in proportion. */
  minGapSeconds?: number | undefined;
  maxGapSeconds?: number | undefined;
  sessionMinutes?: number | undefined;
  /** Part of a day's limits on Saturday and Sunday. */
  weekendFactor?: number | undefined;
}

/** The pace of one account. */
export interface AccountPace {
  accountId: string;
  settings: PaceSettings | null;
  /** Least ms between two actions that reach a person, whatever the pace (mailboxes). */
  minGapMs: number;
}

/** Mean gap in ms under an account's settings; for forecasts. */
export function meanGapMs(actionClass: ActionClass, pace: PaceSettings | null): number {
  const low = pace?.minGapSeconds ?? DEFAULT_PACE.minGapSeconds;
  const high = pace?.maxGapSeconds ?? DEFAULT_PACE.maxGapSeconds;
  return (MEAN_GAP_MS[actionClass] * (low + high)) / (DEFAULT_PACE.minGapSeconds + DEFAULT_PACE.maxGapSeconds);
}

/** Share of open time that is session and not pause; for forecasts. */
export const SESSION_SHARE = 40 / 52.5;

/** An account whose longest gap is declared as nothing is not paced: neither gaps nor sessions, its budgets alone decide. */
export function isPaced(settings: PaceSettings | null): boolean {
  return settings?.maxGapSeconds !== 0;
}

/** Ms that must pass after an action at `at` before the next of its class: log-normal, truncated to the bounds. */
export function gapAfter(pace: AccountPace, at: number, actionClass: ActionClass): number {
  if (!isPaced(pace.settings)) return actionClass === 'contact' ? pace.minGapMs : 0;
  const shape = SHAPES[actionClass];
  const least = pace.settings?.minGapSeconds ?? DEFAULT_PACE.minGapSeconds;
  const most = pace.settings?.maxGapSeconds ?? DEFAULT_PACE.maxGapSeconds;
  const top = Math.max(Math.min(least, most) * shape.low, Math.max(least, most) * shape.top) * 1000;
  const low = Math.min(top, Math.min(least, most) * 1000 * shape.low + LATE_MS);
  const median = low + (top - low) * shape.median;
  let gap = median;
  for (let attempt = 0; attempt < 8; attempt++) {
    const first = hashFloat('gap', pace.accountId, at, shape.seed, attempt, 0);
    gap =
      median * Math.exp(shape.sigma * normalFrom(first, hashFloat('gap', pace.accountId, at, shape.seed, attempt, 1)));
    if (gap >= low && gap <= top) break;
  }
  const drawn = Math.round(Math.min(top, Math.max(low, gap)));
  return actionClass === 'contact' && pace.minGapMs > 0 ? Math.max(drawn, pace.minGapMs + LATE_MS) : drawn;
}

/** How long a session may last that began at `start`, ms: 20 to 60 minutes, or as the account's settings say. */
export function sessionLength(pace: AccountPace, start: number): number {
  if (!isPaced(pace.settings)) return Number.POSITIVE_INFINITY;
  const session = (pace.settings?.sessionMinutes ?? DEFAULT_PACE.sessionMinutes) * MINUTE_MS;
  return session * (4 / 9 + (8 / 9) * hashFloat('session', pace.accountId, start));
}

/** So much time without an action is a pause and no gap, ms: longer than the longest gap where that is shorter than a pause may be. */
export function breakMs(pace: AccountPace): number {
  const longest = (pace.settings?.maxGapSeconds ?? DEFAULT_PACE.maxGapSeconds) * 1000;
  return Math.min(PAUSE.max - MINUTE_MS, Math.max(PAUSE.min, longest));
}

/** The pause after a session that began at `start`, ms: up to 20 minutes, and never so short that it could be a gap. */
export function pauseAfter(pace: AccountPace, start: number): number {
  const least = breakMs(pace);
  return least + Math.floor(hashFloat('pause', pace.accountId, start) * (PAUSE.max - least + 1));
}
