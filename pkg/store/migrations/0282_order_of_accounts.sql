-- Workspaces that share accounts lock their rows in one order, so that none waits for another in a circle: pacing by account,
-- then budgets by account and action. The row of the pacing is there from the account's beginning: two claims that both
-- inserted it waited for each other.
set local search_path = outrider, app, public;

create function app.on_account_made() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into account_pacing (account_id) select n.id from new_rows n order by n.id on conflict do nothing;
    return null;
  end $$;
alter function app.on_account_made() owner to outrider_definer;
revoke execute on function app.on_account_made() from public;
create trigger account_made after insert on outrider.network_account referencing new table as new_rows for each statement execute function app.on_account_made();
insert into outrider.account_pacing (account_id) select id from outrider.network_account order by id on conflict do nothing;

create or replace function app.open_budgets(p_workspace text, p_now bigint, p_accounts text[], p_actions text[])
  returns table (account_id text, action text, left_units int, day_limit int, wait_days int, head date)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  begin
    insert into account_budget (account_id, action, head_date, limit_day, limit_week)
      select k.account_id, k.action, app.local_date(p_now, a.timezone), 0, 0
      from unnest(p_accounts, p_actions) as k (account_id, action) join network_account a on a.id = k.account_id
        join account_link l on l.account_id = k.account_id and l.workspace_id = p_workspace
      where not exists (select 1 from account_budget b where b.account_id = k.account_id and b.action = k.action)
      on conflict do nothing;
    perform 1 from account_budget b join unnest(p_accounts, p_actions) as k (account_id, action) on b.account_id = k.account_id and b.action = k.action
      order by b.account_id, b.action for update of b;
    return query
    with bases as materialized (
      select t.tier, t.action, d.day, d.week
      from (select distinct a.tier, k.action from unnest(p_accounts, p_actions) as k (account_id, action) join network_account a on a.id = k.account_id) t
        cross join lateral app.default_budget(t.tier, t.action) d
    ),
    now_rows as materialized (
      select b.account_id, b.action, b.head_date, b.used, b.by_workspace, b.limit_day, b.limit_week, h.head,
        app.roll_window(b.used, b.head_date, h.head) as rolled,
        case when h.head > b.head_date then '{}'::jsonb else b.by_workspace end as theirs,
        app.weekend_limit(lim.day, h.head, a.pacing) as day, lim.week
      from unnest(p_accounts, p_actions) as k (account_id, action)
        join account_budget b on b.account_id = k.account_id and b.action = k.action
        join network_account a on a.id = b.account_id
        -- A change of timezone never turns a date back.
        cross join lateral (select greatest(app.local_date(p_now, a.timezone), b.head_date) as head) h
        join bases z on z.tier = a.tier and z.action = b.action
        cross join lateral app.scaled_limit(z.day, z.week, b.action, a.limits, a.ramp_enabled, a.ramp_days, a.ramp_start_share,
          case when a.first_send_at is null then 0 else h.head - app.local_date(a.first_send_at, a.timezone) end, a.health) lim
    ),
    kept as (
      update account_budget b set head_date = r.head, used = r.rolled, by_workspace = r.theirs,
          reserved = case when r.head > r.head_date then 0 else b.reserved end,
          limit_day = greatest(r.day, r.rolled[1]), limit_week = r.week
        from now_rows r where b.account_id = r.account_id and b.action = r.action
          and (r.head_date <> r.head or r.limit_day <> greatest(r.day, r.rolled[1]) or r.limit_week <> r.week)
    )
    select r.account_id, r.action,
      greatest(0, least(r.day - r.rolled[1] - o.kept, case when r.week >= 0 then r.week - app.sum_of(r.rolled) end)),
      r.day,
      case when r.week < 0 then 1 else coalesce((select min(n) from generate_series(1, 6) n where app.sum_of(r.rolled[1:7 - n]) < r.week), 7) end,
      r.head
    from now_rows r cross join lateral (
      select coalesce(sum(greatest(0, floor(r.day * l.share)::int - coalesce((r.theirs ->> l.workspace_id)::int, 0))), 0)::int as kept
      from account_link l where l.account_id = r.account_id and l.workspace_id <> p_workspace) o;
  end $$;
