import { dateOfDay, dayOfDate, instantOf, localTime } from '../../domain/local-time.ts';
import type { Tx } from '../../postgres/database.ts';

/** The month of a moment in a timezone: its first day, and when the next one begins (epoch ms). */
export function monthOf(now: number, timezone: string): { month: string; nextAt: number } {
  const today = dateOfDay(localTime(now, timezone).dayNumber);
  const [year = 0, month = 0] = today.split('-').map(Number);
  const next = month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, '0')}-01`;
  return { month: `${today.slice(0, 8)}01`, nextAt: instantOf(dayOfDate(next), 0, timezone) };
}

/** Credits that watches spent in a month. */
export async function creditsOfMonth(
  tx: Tx,
  watchIds: readonly string[],
  month: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.rows<{ id: string; credits: number }>(
    'select watch_id as id, credits from watch_month where watch_id = any ($1::uuid[]) and month = $2',
    [watchIds, month],
  );
  return new Map(rows.map((row) => [row.id, row.credits]));
}

/** Spends credits of a watch's month, in the transaction of what it found. @returns false, and spends nothing: its limit is reached */
export async function spendOfMonth(
  tx: Tx,
  watch: { id: string; workspaceId: string; monthlyCreditLimit: number | null },
  month: string,
  credits: number,
): Promise<boolean> {
  const { id, workspaceId, monthlyCreditLimit: most } = watch;
  if (most !== null && credits > most) return false;
  const spent = await tx.exec(
    `insert into watch_month as m (watch_id, month, workspace_id, credits) values ($1, $2, $3, $4)
     on conflict (watch_id, month) do update set credits = m.credits + excluded.credits
       where $5::int is null or m.credits + excluded.credits <= $5`,
    [id, month, workspaceId, credits, most],
  );
  return spent > 0;
}
