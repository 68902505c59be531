-- Opens the budgets of a batch, given as parallel arrays of accounts and actions: makes their rows, rolls them to the
-- local date, refreshes the limits and locks them by account and action. It leaves out accounts that `p_workspace` is
-- not linked to.
-- `p_now`: epoch ms UTC, product time. `left_units`: what the workspace may still take today, by the account's day
-- and week, its own daily actions, and what other workspaces are guaranteed (catalog: budgets, rampUp; shares of
-- workspaces). `wait_days`: local dates until there are units again. `head`: the date whose units these are.
-- The caller has checked `p_workspace` and holds the accounts' rows of account_pacing, so that no two callers are
-- here at once.
create or replace function app.open_budgets(p_workspace text, p_now bigint, p_accounts text[], p_actions text[])
  returns table (account_id text, action text, left_units int, day_limit int, wait_days int, head date)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    at_now timestamptz := to_timestamp(p_now / 1000.0);
    there int;
  begin
    select array_agg(k.account_id), array_agg(k.action)
    into p_accounts, p_actions
    from unnest(p_accounts, p_actions) as k (account_id, action)
    join account_link l on l.account_id = k.account_id and l.workspace_id = p_workspace;
    perform 1
    from (select * from unnest(p_accounts, p_actions) as x (account_id, action) order by 1, 2) k
    cross join lateral (
      select 1
      from account_budget b
      where b.account_id = k.account_id and b.action = k.action
      for update
    ) b;
    get diagnostics there = row_count;
    if there < cardinality(p_accounts) then
      insert into account_budget (account_id, action, head_date, limit_day, limit_week)
      select k.account_id, k.action, (at_now at time zone a.timezone)::date, 0, 0
      from unnest(p_accounts, p_actions) as k (account_id, action)
      join network_account a on a.id = k.account_id
      -- One row at a time: the table has those of all accounts of the platform.
      left join lateral (
        select true as there
        from account_budget b
        where b.account_id = k.account_id and b.action = k.action
        limit 1
      ) h on true
      where h.there is null
      order by 1, 2
      on conflict do nothing;
      perform 1
      from (select * from unnest(p_accounts, p_actions) as x (account_id, action) order by 1, 2) k
      cross join lateral (
        select 1
        from account_budget b
        where b.account_id = k.account_id and b.action = k.action
        for update
      ) b;
    end if;
    return query
      with k as materialized (
        select
          k.account_id,
          k.action,
          a.tier,
          a.timezone,
          a.pacing,
          a.limits,
          a.ramp_enabled,
          a.ramp_days,
          a.ramp_start_share,
          a.first_send_at,
          a.health,
          (at_now at time zone a.timezone)::date as today
        from unnest(p_accounts, p_actions) as k (account_id, action)
        join network_account a on a.id = k.account_id
      ),
      bases as materialized (
        select t.tier, t.action, d.day, d.week
        from (select distinct k.tier, k.action from k) t
        cross join lateral app.default_budget(t.tier, t.action) d
      ),
      now_rows as materialized (
        select
          b.account_id,
          b.action,
          b.head_date,
          b.used,
          b.by_workspace,
          b.limit_day,
          b.limit_week,
          h.head,
          app.roll_window(b.used, b.head_date, h.head) as rolled,
          case when h.head > b.head_date then '{}'::jsonb else b.by_workspace end as theirs,
          weekend.day,
          lim.week
        from k
        join account_budget b on b.account_id = k.account_id and b.action = k.action
        -- A change of timezone never turns a date back.
        cross join lateral (select greatest(k.today, b.head_date) as head) h
        join bases z on z.tier = k.tier and z.action = k.action
        cross join lateral app.scaled_limit(
          z.day,
          z.week,
          b.action,
          k.limits,
          k.ramp_enabled,
          k.ramp_days,
          k.ramp_start_share,
          case
            when not k.ramp_enabled or k.first_send_at is null then 0
            else h.head - app.local_date(k.first_send_at, k.timezone)
          end,
          k.health
        ) lim
        cross join lateral app.weekend_limit(lim.day, h.head, k.pacing) weekend
      ),
      kept as (
        update account_budget b
        set
          head_date = r.head,
          used = r.rolled,
          by_workspace = r.theirs,
          limit_day = greatest(r.day, r.rolled[1]),
          limit_week = r.week
        from now_rows r
        where b.account_id = r.account_id
          and b.action = r.action
          and (r.head_date <> r.head or r.limit_day <> greatest(r.day, r.rolled[1]) or r.limit_week <> r.week)
      )
      select
        r.account_id,
        r.action,
        greatest(
          0,
          least(
            r.day - r.rolled[1] - o.kept,
            case when r.week >= 0 then r.week - app.sum_of(r.rolled) end,
            (
              (select w.limits -> 'dailyActions' from workspace w where w.id = p_workspace) ->> r.action
            )::int - coalesce((r.theirs ->> p_workspace)::int, 0)
          )
        ),
        r.day,
        case
          when r.week < 0 then 1
          else coalesce(
            (select min(n) from generate_series(1, 6) n where app.sum_of(r.rolled[1:7 - n]) < r.week),
            7
          )
        end,
        r.head
      from now_rows r
      cross join lateral (
        select coalesce(
          sum(greatest(0, floor(r.day * l.share)::int - coalesce((r.theirs ->> l.workspace_id)::int, 0))),
          0
        )::int as kept
        from account_link l
        where l.account_id = r.account_id and l.workspace_id <> p_workspace
      ) o;
  end $$;

alter function app.open_budgets(text, bigint, text[], text[]) owner to outrider_definer;
revoke execute on function app.open_budgets(text, bigint, text[], text[]) from public;
