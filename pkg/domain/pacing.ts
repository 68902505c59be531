import { HEAVY_ACTIONS } from './budget.ts';
import { hashFloat, normalFrom } from './random.ts';
import type { BudgetAction } from './vocabulary.ts';

/**
 * Human-like pacing of one account: gaps between actions, and sessions with pauses. Everything is drawn from account,
 * local date and a running number, so that a restart gives the same plan and no two accounts run in lockstep.
 * Source: catalog `defaults.pacing`.
 */

export type PaceClass = 'heavy' | 'light';

/** What an account's row keeps; all times epoch ms product time. */
export interface PaceState {
  /** Nothing before this instant; 0 when nothing was paced yet. */
  freeAt: number;
  /** End of the running session; 0 when none was begun. */
  sessionEndsAt: number;
  /** Draws so far; the running number of the next one. */
  draws: number;
}

export const FRESH_PACE: PaceState = { freeAt: 0, sessionEndsAt: 0, draws: 0 };

/** Bounds in ms and the log-normal's median and spread. */
const GAPS: Record<PaceClass, { min: number; max: number; median: number; sigma: number }> = {
  heavy: { min: 120_000, max: 420_000, median: 205_000, sigma: 0.45 },
  light: { min: 20_000, max: 90_000, median: 40_000, sigma: 0.5 },
};
const SESSION = { min: 20 * 60_000, max: 60 * 60_000 };
const PAUSE = { min: 5 * 60_000, max: 20 * 60_000 };
/** Mean gap of a class in ms, pauses not counted; for forecasts. */
export const MEAN_GAP_MS: Record<PaceClass, number> = { heavy: 225_000, light: 44_000 };

/** An account's own pace; what is absent is the platform's. Source: svc_update_network_account_settings. */
export interface PaceSettings {
  /** Gaps between actions that reach a person; light ones follow in proportion. */
  minGapSeconds?: number | undefined;
  maxGapSeconds?: number | undefined;
  sessionMinutes?: number | undefined;
  /** Part of a day's limits on Saturday and Sunday. */
  weekendFactor?: number | undefined;
}

/** Mean gap in ms under an account's settings; for forecasts. The database draws the gaps (app.gap_ms). */
export function meanGapMs(paceClass: PaceClass, pace: PaceSettings | null): number {
  const { min, max } = GAPS.heavy;
  const low = (pace?.minGapSeconds ?? min / 1000) * 1000;
  const high = (pace?.maxGapSeconds ?? max / 1000) * 1000;
  return (MEAN_GAP_MS[paceClass] * (low + high)) / (min + max);
}

/** Share of open time that is session and not pause; for forecasts. */
export const SESSION_SHARE = 40 / 52.5;

/** Kinds that reach a person are heavy. */
export function paceClassOf(action: BudgetAction): PaceClass {
  return HEAVY_ACTIONS.includes(action) ? 'heavy' : 'light';
}

/** A gap in ms: log-normal, drawn again while outside its bounds, in the end clamped. `seed`: account, date, number. */
export function nextGap(seed: string, paceClass: PaceClass): number {
  const { min, max, median, sigma } = GAPS[paceClass];
  let gap = median;
  for (let attempt = 0; attempt < 8; attempt++) {
    const normal = normalFrom(hashFloat('gap', seed, attempt, 0), hashFloat('gap', seed, attempt, 1));
    gap = median * Math.exp(sigma * normal);
    if (gap >= min && gap <= max) break;
  }
  return Math.round(Math.min(max, Math.max(min, gap)));
}

function between(range: { min: number; max: number }, ...seed: readonly (string | number)[]): number {
  return range.min + Math.floor(hashFloat(...seed) * (range.max - range.min + 1));
}

/**
 * The next slot of an account and the state after taking it. The slot is now when the account is free; when it would
 * fall behind the end of the session it moves behind a pause, where a new session begins. An account that was idle
 * longer than a pause begins a new session too. `date` is the account's local date of `now`.
 */
export function paceNext(
  state: PaceState,
  now: number,
  paceClass: PaceClass,
  accountId: string,
  date: string,
): { slotAt: number; state: PaceState } {
  const seed = `${accountId}/${date}/${state.draws}`;
  const pause = between(PAUSE, 'pause', seed);
  let slotAt = Math.max(now, state.freeAt);
  let sessionEndsAt = state.sessionEndsAt;
  if (slotAt >= sessionEndsAt) {
    if (sessionEndsAt > 0) slotAt = Math.max(slotAt, sessionEndsAt + pause);
    sessionEndsAt = slotAt + between(SESSION, 'session', seed);
  }
  return { slotAt, state: { freeAt: slotAt + nextGap(seed, paceClass), sessionEndsAt, draws: state.draws + 1 } };
}
