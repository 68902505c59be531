import type { Tx } from '../../postgres/database.ts';

/** Product ms for which is kept what was told once: no week and no ramp that ended comes again after it. */
const KEPT_MS = 60 * 86_400_000;

/** Writes each of `due` (workspace, name, data) as an event of the kind, once per name. `$1`: epoch ms, product time. */
const told = (kind: string, due: string): string => `
  with due as (${due}),
  fresh as (
    insert into timed_event (workspace_id, name, at)
    select d.workspace_id, d.name, $1 from due d
    on conflict do nothing
    returning workspace_id, name
  )
  insert into run_event (workspace_id, at, kind, actor, data)
  select d.workspace_id, $1, '${kind}', 'system', d.data
  from due d
  join fresh f using (workspace_id, name)
  order by d.workspace_id, d.name`;

/** Budgets of today, and of the week until today, of which nothing is left; per workspace that uses the account. */
const SPENT_BUDGETS = `
    select
      l.workspace_id,
      'budget/' || b.account_id || '/' || b.action || '/' || w.window || '/' || w.times as name,
      jsonb_build_object('accountId', b.account_id, 'budget', b.action, 'window', w.window) as data
    from account_budget b
    join network_account a on a.id = b.account_id
    cross join lateral (
      select 'day' as window, b.head_date::text as times
      where b.limit_day > 0 and b.used[1] >= b.limit_day
      union all
      select 'week', to_char(b.head_date, 'IYYY-IW')
      where b.limit_week > 0 and (select sum(u) from unnest(b.used) u) >= b.limit_week
    ) w
    join account_link l on l.account_id = b.account_id
    where b.head_date = (to_timestamp($1 / 1000.0) at time zone a.timezone)::date`;

/** Accounts whose ramp-up came to its end within two days: who is told of those before it, learns nothing. */
const ENDED_RAMPS = `
    select
      l.workspace_id,
      'ramp/' || a.id || '/' || a.first_send_at as name,
      jsonb_build_object('accountId', a.id) as data
    from network_account a
    join account_link l on l.account_id = a.id
    where a.ramp_enabled
      and a.ramp_days > 0
      and (to_timestamp($1 / 1000.0) at time zone a.timezone)::date
        - (to_timestamp(a.first_send_at / 1000.0) at time zone a.timezone)::date
        between a.ramp_days and a.ramp_days + 2`;

/**
 * Writes what time alone causes as events, each once: budgets that are used up, ramps that ended. Platform only.
 * @param now epoch ms, product time
 * @returns how many were written
 */
export async function tellTimedEvents(tx: Tx, now: number): Promise<number> {
  const budgets = await tx.exec(told('account.budget_exhausted', SPENT_BUDGETS), [now]);
  const ramps = await tx.exec(told('account.ramp_completed', ENDED_RAMPS), [now]);
  return budgets + ramps;
}

/** Forgets what was told once so long ago that it can not come again. */
export function forgetTimedEvents(tx: Tx, now: number): Promise<number> {
  return tx.exec('delete from timed_event where at < $1', [now - KEPT_MS]);
}
