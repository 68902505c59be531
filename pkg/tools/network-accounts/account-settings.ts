import { UserError } from '../../base/errors.ts';
import type { BudgetAction } from '../../domain/actions.ts';
import { type ConfiguredLimit, effectiveLimit } from '../../domain/budget.ts';
import { type BusinessHours, DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import { DEFAULT_PACE, type PaceSettings } from '../../domain/pacing.ts';
import { invalidInput } from '../errors.ts';
import { requireHours } from '../require-hours.ts';
import type { AccountRow } from './account-row.ts';
import type { SettingsChange } from './settings-input.ts';

/** Settings after a change, with what had to be bent to fit. */
export interface AccountSettings {
  limits: Record<string, ConfiguredLimit>;
  hours: BusinessHours | null;
  pacing: PaceSettings | null;
  clamped: string[];
}

/** The account's settings with the change merged in. @throws UserError when a limit or the hours can not stand */
export function changedSettings(row: AccountRow, change: SettingsChange): AccountSettings {
  const clamped: string[] = [];
  return {
    limits: changedLimits(row, change, clamped),
    hours: changedHours(row.business_hours, change.businessHours),
    pacing: changedPace(row.pacing, change.pacing, clamped),
    clamped,
  };
}

/** A setting lowers the tier's limit; a day that is above its week can never be used up. */
function changedLimits(row: AccountRow, change: SettingsChange, clamped: string[]): AccountSettings['limits'] {
  const limits = { ...row.limits };
  for (const [action, day] of entries(change.dailyLimits)) limits[action] = { ...limits[action], day };
  for (const [action, week] of entries(change.weeklyLimits)) limits[action] = { ...limits[action], week };
  const touched = [...entries(change.dailyLimits), ...entries(change.weeklyLimits)].map(([action]) => action);
  for (const action of new Set(touched)) {
    const ceiling = effectiveLimit(action, row.tier, null, 1, 1);
    const wanted = limits[action] ?? {};
    requireBelow(`dailyLimits.${action}`, wanted.day, ceiling.day, row.tier);
    requireBelow(`weeklyLimits.${action}`, wanted.week, ceiling.week, row.tier);
    const { day, week } = effectiveLimit(action, row.tier, wanted, 1, 1);
    if (wanted.day === undefined || week === null || day <= week) continue;
    limits[action] = { ...wanted, day: week };
    clamped.push(`dailyLimits.${action}: ${week}, because the week allows no more.`);
  }
  return limits;
}

function requireBelow(path: string, wanted: number | null | undefined, ceiling: number | null, tier: string): void {
  if (wanted == null || ceiling === null || wanted <= ceiling) return;
  throw new UserError(
    `Invalid input: ${path}: ${wanted} is above the ceiling of ${ceiling} for tier ${tier}. Call svc_get_network_account_budgets.`,
    'AboveCeiling',
  );
}

function changedHours(now: BusinessHours | null, change: SettingsChange['businessHours']): BusinessHours | null {
  if (!change) return now;
  const hours: BusinessHours = { ...DEFAULT_BUSINESS_HOURS, ...now, ...given(change) };
  requireHours({ businessHours: hours });
  if (hours.days.length === 0) throw invalidInput('businessHours.days', 'name at least one day, or set paused');
  if (hours.startHour >= hours.endHour) throw invalidInput('businessHours.endHour', 'must be after startHour');
  return { ...hours, days: [...new Set(hours.days)].sort((a, b) => a - b) };
}

function changedPace(
  now: PaceSettings | null,
  change: SettingsChange['pacing'],
  clamped: string[],
): PaceSettings | null {
  if (!change) return now;
  const pace: PaceSettings = { ...now, ...given(change) };
  const least = pace.minGapSeconds ?? DEFAULT_PACE.minGapSeconds;
  if ((pace.maxGapSeconds ?? DEFAULT_PACE.maxGapSeconds) >= least) return pace;
  clamped.push(`pacing.maxGapSeconds: ${least}, because minGapSeconds is ${least}.`);
  return { ...pace, maxGapSeconds: least };
}

function entries(limits: SettingsChange['dailyLimits']): [BudgetAction, number][] {
  return Object.entries(limits ?? {}) as [BudgetAction, number][];
}

/** The fields that are present. */
function given<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}
