import type { Ramp } from '../../domain/budget.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { limitsWithMailDay } from '../accounts/mail-day-limit.ts';
import { tellTime } from '../events/tell-time.ts';

/** The warm-up of a mailbox as it is stored; times epoch ms, product time. */
export interface WarmupRow {
  accountId: string;
  state: 'running' | 'paused' | 'off';
  startedAt: number;
  dailyTarget: number;
  dailyIncrement: number;
  replyRate: number;
  weekdaysOnly: boolean;
  firstLevel: number;
  /** The day of the ramp on which it was paused; null: it was not. */
  heldDay: number | null;
  heldWhy: string;
  /** Mails a day that were configured before it; null: the default. */
  limitBefore: number | null;
  /** When the ramp began to count; null: with the next mail. */
  rampFrom: number | null;
  /** The mailbox's own. */
  timezone: string;
}

/** The warm-ups of these mailboxes; those that never had one are left out. */
export function readWarmups(tx: Tx, accountIds: readonly string[]): Promise<WarmupRow[]> {
  return tx.rows(
    `select
       w.account_id as "accountId", w.state, w.started_at as "startedAt", w.daily_target as "dailyTarget",
       w.daily_increment as "dailyIncrement", w.reply_rate as "replyRate", w.weekdays_only as "weekdaysOnly",
       w.first_level as "firstLevel", w.held_day as "heldDay", w.held_why as "heldWhy",
       w.limit_before as "limitBefore", a.first_send_at as "rampFrom", a.timezone
     from mailbox_warmup w
     join network_account a on a.id = w.account_id
     where w.account_id = any ($1::text[])`,
    [arrayText(accountIds)],
  );
}

/** Keeps a warm-up as it is to stand. */
export async function keepWarmup(tx: Tx, row: Omit<WarmupRow, 'rampFrom' | 'timezone'>): Promise<void> {
  await tx.exec(
    `insert into mailbox_warmup (
       account_id, state, started_at, daily_target, daily_increment, reply_rate, weekdays_only, first_level, held_day,
       held_why, limit_before
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (account_id) do update set
       state = excluded.state,
       started_at = excluded.started_at,
       daily_target = excluded.daily_target,
       daily_increment = excluded.daily_increment,
       reply_rate = excluded.reply_rate,
       weekdays_only = excluded.weekdays_only,
       first_level = excluded.first_level,
       held_day = excluded.held_day,
       held_why = excluded.held_why,
       limit_before = excluded.limit_before`,
    [
      row.accountId,
      row.state,
      row.startedAt,
      row.dailyTarget,
      row.dailyIncrement,
      row.replyRate,
      row.weekdaysOnly,
      row.firstLevel,
      row.heldDay,
      row.heldWhy,
      row.limitBefore,
    ],
  );
}

/** Holds a warm-up that runs, under the lease of its mailbox; false: it does not run. */
export async function holdWarmup(tx: Tx, accountId: string, heldDay: number, why: string): Promise<boolean> {
  const changed = await tx.exec(
    `update mailbox_warmup
     set state = 'paused', held_day = $2, held_why = $3
     where account_id = $1 and state = 'running'`,
    [accountId, heldDay, why],
  );
  return changed > 0;
}

/**
 * Tells the workspaces of a mailbox that it is warm, once for the warm-up that began at `startedAt`, under the lease of the mailbox.
 * Times epoch ms, product time.
 * @returns false where it was told before, is paused, or the warm-up runs no more
 */
export async function tellWarmupReady(tx: Tx, accountId: string, startedAt: number, now: number): Promise<boolean> {
  const row = await tx.row<{ told: boolean }>('select app.tell_warmup_ready($1, $2, $3) as told', [
    now,
    accountId,
    startedAt,
  ]);
  return row?.told ?? false;
}

/** What a mailbox may send by its warm-up. */
export interface WarmupPace {
  /** Mails a day; null: the default. */
  limit: number | null;
  /** Null: the limit holds at once. */
  ramp: Ramp | null;
  /** When the ramp began to count (epoch ms, product time); null: with the next mail; absent: as it is. */
  rampFrom?: number | null;
  /** Local days on which it sends, Monday 1; absent: as it is. */
  days?: readonly number[];
}

/** Sets limit, ramp and days of a mailbox. @param now epoch ms, product time */
export async function keepWarmupPace(tx: Tx, accountId: string, pace: WarmupPace, now: number): Promise<void> {
  await tellTime(tx, now);
  await tx.exec(
    `update network_account
     set
       limits = ${limitsWithMailDay('$2')},
       ramp_enabled = $3::float8 is not null,
       ramp_start_share = coalesce($3::float8, ramp_start_share),
       ramp_days = coalesce($4::int, ramp_days),
       first_send_at = case when $5 then $6::bigint else first_send_at end,
       business_hours = case
         when $7::jsonb is null then business_hours
         else coalesce(business_hours, '{"startHour": 9, "endHour": 18, "timezoneMode": "account"}') || $7::jsonb
       end
     where id = $1`,
    [
      accountId,
      pace.limit,
      pace.ramp?.startShare ?? null,
      pace.ramp?.days ?? null,
      pace.rampFrom !== undefined,
      pace.rampFrom ?? null,
      pace.days === undefined ? null : JSON.stringify({ days: pace.days }),
    ],
  );
}
