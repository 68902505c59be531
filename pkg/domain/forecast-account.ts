import { type BudgetAction, classOf } from './actions.ts';
import { type ConfiguredLimit, effectiveLimit, type Ramp, rampFactor, weekendLimit } from './budget.ts';
import { type BudgetWindow, remaining, rollWindow, WINDOW_DAYS } from './budget-window.ts';
import { type BusinessHours, opensOn } from './business-hours.ts';
import { dateOfDay, localTime, weekdayOf } from './local-time.ts';
import { meanGapMs, type PaceSettings, SESSION_SHARE } from './pacing.ts';
import type { AccountTier } from './vocabulary.ts';

/** An account as a forecast sees it. */
export interface ForecastAccount {
  networkAccountId: string;
  /** Mailboxes send mails, and nothing else does. */
  channel: 'network' | 'mail';
  /** Least ms between two sends, whatever the pace. */
  minGapMs?: number;
  tier: AccountTier;
  timezone: string;
  hours: BusinessHours;
  /** Configured limits; an absent action has its tier's. */
  limits: Partial<Record<BudgetAction, ConfiguredLimit>>;
  /** Units of a day that the workspace may spend of it at most, by action; absent: the account's own limit alone. */
  most?: Readonly<Record<string, number>> | undefined;
  /** Null: the platform's pace. */
  pace?: PaceSettings | null;
  /** Null when the account is not ramping up. */
  ramp: Ramp | null;
  /** Whole local days since the first send, null before it. */
  daysSinceFirstSend: number | null;
  /** 0 to 1. */
  health: number;
  /** What was used already; absent actions are unused. */
  used?: Partial<Record<BudgetAction, BudgetWindow>>;
  /** Part of every daily limit that is kept for other workspaces, 0 to 1; absent: none. */
  othersShare?: number;
  /** What these have used today, of `used`. */
  usedByOthers?: Partial<Record<BudgetAction, number>>;
}

/** What stopped an action: a budget's name, or pacing. */
export type Binding = BudgetAction | 'pacing';

const HOUR_MS = 3_600_000;

/** Hours of two settings on one local date, both read in the account's zone; `fromHour` cuts off what is past today. */
function openHours(dayNumber: number, settings: readonly BusinessHours[], fromHour: number): number {
  if (settings.some((hours) => !opensOn(dayNumber, hours))) return 0;
  const start = Math.max(fromHour, ...settings.map((hours) => hours.startHour));
  return Math.max(0, Math.min(...settings.map((hours) => hours.endHour)) - start);
}

/** Within so many days hours have to meet; where public holidays are observed they are waited for. Source: catalog `defaults.businessHours.rule`. */
const MEET_DAYS = 7;
const MEET_DAYS_WITH_HOLIDAYS = 50;

function everOpen(firstDay: number, settings: readonly BusinessHours[]): boolean {
  const days = settings.some((hours) => hours.holidayCountry !== undefined) ? MEET_DAYS_WITH_HOLIDAYS : MEET_DAYS;
  for (let day = 0; day <= days; day++) if (openHours(firstDay + day, settings, 0) > 0) return true;
  return false;
}

/** One account over the days of a forecast: the same limits, windows and mean gaps as the real thing. */
export class AccountForecast {
  readonly networkAccountId: string;
  readonly #account: ForecastAccount;
  readonly #settings: readonly BusinessHours[];
  readonly #firstDay: number;
  readonly #firstHour: number;
  readonly #windows = new Map<BudgetAction, BudgetWindow>();
  #day = 0;
  #timeLeftMs = 0;
  #firstSendDay: number | null = null;

  constructor(account: ForecastAccount, campaignHours: BusinessHours | null, startAt: number) {
    this.networkAccountId = account.networkAccountId;
    this.#account = account;
    const local = localTime(startAt, account.timezone);
    this.#firstDay = local.dayNumber;
    const both = campaignHours ? [account.hours, campaignHours] : [account.hours];
    // As when it sends: where the two never meet the account alone decides.
    this.#settings = everOpen(local.dayNumber, both) ? both : [account.hours];
    this.#firstHour = local.hour;
  }

  /** Begins day 0, 1, 2 … of the forecast. */
  startDay(day: number): void {
    this.#day = day;
    const fromHour = day === 0 ? this.#firstHour : 0;
    this.#timeLeftMs = openHours(this.#firstDay + day, this.#settings, fromHour) * HOUR_MS * SESSION_SHARE;
  }

  get date(): string {
    return dateOfDay(this.#firstDay + this.#day);
  }

  #window(action: BudgetAction): BudgetWindow {
    const fresh = { headDate: this.date, used: Array.from({ length: WINDOW_DAYS }, () => 0) };
    const known = this.#windows.get(action) ?? this.#account.used?.[action] ?? fresh;
    return rollWindow(known.used, known.headDate, this.date);
  }

  #left(action: BudgetAction): number {
    const { tier, limits, ramp, health, daysSinceFirstSend } = this.#account;
    const since = this.#firstSendDay === null ? 0 : this.#day - this.#firstSendDay;
    const days = daysSinceFirstSend === null ? since : daysSinceFirstSend + this.#day;
    const limit = effectiveLimit(action, tier, limits[action] ?? null, rampFactor(days, ramp), health);
    const weekday = weekdayOf(this.#firstDay + this.#day);
    const day = weekendLimit(limit.day, weekday, this.#account.pace?.weekendFactor ?? null);
    const window = this.#window(action);
    const left = remaining(window, { ...limit, day: day - this.#keptForOthers(action, day) });
    const most = this.#account.most?.[action];
    if (most === undefined) return left;
    return Math.max(0, Math.min(left, most - ((window.used[0] ?? 0) - this.#spentByOthers(action))));
  }

  /** Others are taken to use on later days what is kept for them. */
  #keptForOthers(action: BudgetAction, day: number): number {
    return Math.max(0, Math.floor(day * (this.#account.othersShare ?? 0)) - this.#spentByOthers(action));
  }

  #spentByOthers(action: BudgetAction): number {
    return this.#day === 0 ? (this.#account.usedByOthers?.[action] ?? 0) : 0;
  }

  /** Takes up to `wanted` units; says how many were granted and what bound (null on a closed day or when all went). */
  take(spends: readonly BudgetAction[], wanted: number): { granted: number; bound: Binding | null } {
    const first = spends[0];
    const { channel, pace, minGapMs = 0 } = this.#account;
    if (!first || (first === 'mail') !== (channel === 'mail') || this.#timeLeftMs <= 0)
      return { granted: 0, bound: null };
    const gap = Math.max(minGapMs, meanGapMs(classOf(first), pace ?? null));
    const byPacing = Math.ceil(this.#timeLeftMs / gap);
    let granted = Math.min(wanted, byPacing);
    let bound: Binding | null = byPacing < wanted ? 'pacing' : null;
    for (const action of spends) {
      const left = this.#left(action);
      if (left >= granted) continue;
      granted = left;
      bound = action;
    }
    if (granted > 0) this.#spend(spends, granted, gap);
    return { granted, bound };
  }

  #spend(spends: readonly BudgetAction[], granted: number, gapMs: number): void {
    this.#timeLeftMs -= granted * gapMs;
    this.#firstSendDay ??= this.#day;
    for (const action of spends) {
      const window = this.#window(action);
      this.#windows.set(action, {
        ...window,
        used: window.used.map((count, at) => (at === 0 ? count + granted : count)),
      });
    }
  }
}
