import { z } from 'zod';
import { BUDGET_ACTIONS, type BudgetAction } from '../../domain/actions.ts';
import { effectiveLimit, weekendLimit } from '../../domain/budget.ts';
import { localDate, nextFreeDate, nextLocalMidnight, rollWindow, usedInWeek } from '../../domain/budget-window.ts';
import { localTime } from '../../domain/local-time.ts';
import type { Tx } from '../../postgres/database.ts';
import { iso } from '../times.ts';
import { type AccountRow, rampUpOf } from './account-row.ts';

/** Catalog record ActionBudget. */
export const actionBudget = z.object({
  action: z.string(),
  window: z.enum(['day', 'week']),
  limit: z.number(),
  rampFactor: z.number(),
  effectiveLimit: z.number(),
  used: z.number(),
  reserved: z.number(),
  remaining: z.number(),
  resetsAt: z.string(),
  workspaceShareRemaining: z.number(),
  usedByOthers: z
    .number()
    .nullable()
    .describe('Of used: by workspaces that are not yours, all together; null: nobody counts it, as of a week.'),
});

export type ActionBudget = z.input<typeof actionBudget>;

/** What the caller's workspace may do with an account and day at most (`limits.dailyActions`), and did. */
export interface OwnLimit {
  action: string;
  most: number;
  spent: number;
}

interface BudgetRow {
  action: string;
  head_date: string;
  used: number[];
  reserved: number;
  /** Of today's, by workspaces that the caller sees. */
  own: number;
}

/** What accounts of the network do. */
const OF_THE_NETWORK = BUDGET_ACTIONS.filter((action) => action !== 'mail');

/**
 * What an account may still do, a line per action and window that has a limit.
 * @param now epoch ms, product time
 * @param actions which ones; absent: those of the network
 */
export async function accountBudgets(
  tx: Tx,
  account: AccountRow,
  now: number,
  actions: readonly BudgetAction[] = OF_THE_NETWORK,
): Promise<ActionBudget[]> {
  const rows = await budgetRows(tx, account.id, now);
  const own = new Map((await ownLimits(tx, account, now)).map((one) => [one.action, one]));
  const { factor } = rampUpOf(account, now);
  const lines = actions.flatMap((action) => windowsOf(account, action, rows.get(action), factor, now));
  const shared = await withoutShares(tx, account.id, lines, now);
  return shared.map((line) => withinOwn(line, own.get(line.action)));
}

/** What is left of a day is within what the workspace itself may do. */
function withinOwn(line: ActionBudget, own: OwnLimit | undefined): ActionBudget {
  if (!own || line.window !== 'day') return line;
  const left = Math.max(0, own.most - own.spent);
  return { ...line, workspaceShareRemaining: Math.min(line.workspaceShareRemaining, left) };
}

/** By action, for what has a limit; of several workspaces of the caller the one that may do most. */
export async function ownLimits(tx: Tx, account: AccountRow, now: number): Promise<OwnLimit[]> {
  return tx.rows<OwnLimit>(
    `select distinct on (d.action) d.action, d.most::int as most, coalesce((b.by_workspace ->> w.id)::int, 0) as spent
       from account_link l join workspace w on w.id = l.workspace_id
         cross join lateral jsonb_each_text(w.limits -> 'dailyActions') as d (action, most)
         left join account_budget b on b.account_id = l.account_id and b.action = d.action and b.head_date = $2::date
       where l.account_id = $1 and not exists (select 1 from account_link o join workspace v on v.id = o.workspace_id
         where o.account_id = l.account_id and v.limits -> 'dailyActions' -> d.action is null)
       order by d.action, d.most::int - coalesce((b.by_workspace ->> w.id)::int, 0) desc`,
    [account.id, localDate(now, account.timezone)],
  );
}

/** Shares are parts of a day: what is kept of it for other workspaces is not this one's to take. */
async function withoutShares(tx: Tx, accountId: string, lines: ActionBudget[], now: number): Promise<ActionBudget[]> {
  const days = lines.filter((line) => line.window === 'day');
  const rows = await tx.rows<{ action: string; kept: number }>(
    'select action, kept from app.kept_for_others($1, $2, $3::text[], $4::int[])',
    [accountId, now, days.map((line) => line.action), days.map((line) => line.effectiveLimit)],
  );
  const kept = new Map(rows.map((row) => [row.action, row.kept]));
  return lines.map((line) =>
    line.window === 'day'
      ? { ...line, workspaceShareRemaining: Math.max(0, line.remaining - (kept.get(line.action) ?? 0)) }
      : line,
  );
}

async function budgetRows(tx: Tx, accountId: string, now: number): Promise<Map<string, BudgetRow>> {
  const rows = await tx.rows<BudgetRow>(
    `select
       b.action,
       b.head_date::text as head_date,
       b.used,
       coalesce(o.units, 0) as reserved,
       coalesce(
         (
           select sum(s.units::int)
           from jsonb_each_text(b.by_workspace) s (workspace_id, units)
           join workspace w on w.id = s.workspace_id
         ),
         0
       )::int as own
     from account_budget b
     left join app.open_units($1, $2) o on o.action = b.action and o.day = b.head_date
     where b.account_id = $1`,
    [accountId, now],
  );
  return new Map(rows.map((row) => [row.action, row]));
}

/** One line per window that has a limit. */
function windowsOf(
  account: AccountRow,
  action: BudgetAction,
  row: BudgetRow | undefined,
  ramp: number,
  now: number,
): ActionBudget[] {
  const today = localDate(now, account.timezone);
  const window = rollWindow(row?.used ?? [0, 0, 0, 0, 0, 0, 0], row?.head_date ?? today, today);
  const configured = account.limits[action] ?? null;
  const full = effectiveLimit(action, account.tier, configured, 1, 1);
  const inForce = effectiveLimit(action, account.tier, configured, ramp, account.health);
  const { weekday } = localTime(now, account.timezone);
  const effective = { ...inForce, day: weekendLimit(inForce.day, weekday, account.pacing?.weekendFactor ?? null) };
  const isToday = row?.head_date === today;
  const [reserved, own] = isToday ? [row.reserved, row.own] : [0, 0];
  const line = (kind: 'day' | 'week', limit: number, inUse: number, used: number, resetsAt: number): ActionBudget => ({
    action,
    window: kind,
    limit,
    rampFactor: ramp,
    effectiveLimit: inUse,
    used,
    reserved,
    remaining: Math.max(0, inUse - used),
    resetsAt: iso(resetsAt),
    workspaceShareRemaining: Math.max(0, inUse - used),
    usedByOthers: kind === 'week' ? null : Math.max(0, used - own),
  });
  const midnight = nextLocalMidnight(now, account.timezone);
  const lines = [line('day', full.day, effective.day, window.used[0] ?? 0, midnight)];
  if (full.week !== null && effective.week !== null) {
    const free = nextFreeDate(window, { day: Math.max(1, effective.day), week: effective.week }) ?? today;
    const days = Math.max(1, Math.round((Date.parse(free) - Date.parse(today)) / 86_400_000));
    lines.push(line('week', full.week, effective.week, usedInWeek(window), midnight + (days - 1) * 86_400_000));
  }
  return lines;
}
