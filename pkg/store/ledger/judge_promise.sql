-- Returns what the pace of an account says of a request, in one row. The planner puts it into the query that asks.
-- `free_at`: when the last action of its class lets it act; `promised`: its run holds a promise; `promised_at`,
-- `gap_ms`: the moment of that promise, where it is for this request and has come, and how long the class rests after
-- it. Epoch ms, product time.
create or replace function app.judge_promise(
  p_now bigint, p_run uuid, p_account text, p_contact boolean, p_budgets text[]
)
  returns table (free_at bigint, promised boolean, promised_at bigint, gap_ms bigint)
  language sql stable rows 1
  as $$
    select
      case when p_contact then x.heavy_free_at else x.light_free_at end,
      s.run_id is not null,
      case when s.due then s.at end,
      case when s.due then s.free_at - s.at end
    from (select 1) one
    left join lateral (
      select p.heavy_free_at, p.light_free_at
      from account_pacing p
      where p.account_id = p_account
      limit 1
    ) x on true
    left join lateral (
      select
        a.run_id,
        a.at,
        a.free_at,
        a.account_id = p_account and a.budgets = p_budgets and a.at <= p_now as due
      from account_slot a
      where a.run_id = p_run and not a.acted
      limit 1
    ) s on true
  $$;

grant execute on function app.judge_promise(bigint, uuid, text, boolean, text[]) to outrider_definer;
