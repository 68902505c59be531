import type { BudgetAction } from '../../../../pkg/domain/actions.ts';
import { effectiveLimit, rampFactor, weekendLimit } from '../../../../pkg/domain/budget.ts';
import { localDate, rollWindow, usedInWeek } from '../../../../pkg/domain/budget-window.ts';
import { dateOfDay, dayOfDate, instantOf, weekdayOf } from '../../../../pkg/domain/local-time.ts';
import type { AccountRow, BudgetRow, LedgerState } from './ledger-state.ts';

/** A budget of a workspace today. */
export interface Opened {
  row: BudgetRow;
  /** Units that the workspace may take. */
  left: number;
  /** When there are units again once these are gone (epoch ms). */
  opensAt: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** A budget moved to the local date of its account, with the limits of that date; null where the workspace does not use the account. */
export function openBudget(
  state: LedgerState,
  workspaceId: string,
  accountId: string,
  action: string,
  now: number,
): Opened | null {
  const account = state.account.find(({ id }) => id === accountId);
  const linked = state.link.some((link) => link.account_id === accountId && link.workspace_id === workspaceId);
  if (!account || !linked) return null;
  const row = rowOf(state, account, action, now);
  const ofOthers = state.link
    .filter((link) => link.account_id === accountId && link.workspace_id !== workspaceId)
    .map((link) =>
      Math.max(0, Math.floor(dayLimit(account, row) * link.share) - (row.by_workspace[link.workspace_id] ?? 0)),
    );
  const own = state.workspace.find(({ id }) => id === workspaceId)?.limits.dailyActions?.[action];
  const rooms = [dayLimit(account, row) - (row.used[0] ?? 0) - sum(ofOthers)];
  if (row.limit_week >= 0) rooms.push(row.limit_week - sum(row.used));
  if (own !== undefined) rooms.push(own - (row.by_workspace[workspaceId] ?? 0));
  return { row, left: Math.max(0, Math.min(...rooms)), opensAt: opensAt(account, row) };
}

function rowOf(state: LedgerState, account: AccountRow, action: string, now: number): BudgetRow {
  const today = localDate(now, account.timezone);
  const kept = state.budget.find((one) => one.account_id === account.id && one.action === action);
  const { headDate, used } = rollWindow(kept?.used ?? [], kept?.head_date ?? today, today);
  const row: BudgetRow = {
    account_id: account.id,
    action,
    head_date: headDate,
    used: [...used],
    limit_day: 0,
    limit_week: limitOf(account, action, headDate).week ?? -1,
    by_workspace: kept?.head_date === headDate ? kept.by_workspace : {},
    last_at: kept?.last_at ?? null,
  };
  // What was used before a limit fell stays used.
  return { ...row, limit_day: Math.max(dayLimit(account, row), row.used[0] ?? 0) };
}

function limitOf(account: AccountRow, action: string, date: string): { day: number; week: number | null } {
  const first = account.first_send_at === null ? null : localDate(account.first_send_at, account.timezone);
  const days = first === null ? null : dayOfDate(date) - dayOfDate(first);
  const ramp = account.ramp_enabled ? { startShare: account.ramp_start_share, days: account.ramp_days } : null;
  const configured = account.limits[action] ?? null;
  return effectiveLimit(action as BudgetAction, account.tier, configured, rampFactor(days, ramp), account.health);
}

function dayLimit(account: AccountRow, row: BudgetRow): number {
  const weekday = weekdayOf(dayOfDate(row.head_date));
  return weekendLimit(limitOf(account, row.action, row.head_date).day, weekday, account.pacing.weekendFactor ?? null);
}

/** The first date whose week has room again: the next one, unless the week is full. */
function opensAt(account: AccountRow, row: BudgetRow): number {
  const head = dayOfDate(row.head_date);
  let days = 1;
  while (days < 7 && row.limit_week >= 0 && inWeekAfter(row, days) >= row.limit_week) days++;
  return instantOf(head + days, 0, account.timezone);
}

const inWeekAfter = (row: BudgetRow, days: number): number =>
  usedInWeek(rollWindow(row.used, row.head_date, dateOfDay(dayOfDate(row.head_date) + days)));
