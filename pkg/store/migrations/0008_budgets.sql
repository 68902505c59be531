-- Budgets and pacing of an account: the rules that the claim function applies under the account's lock.
-- pkg/domain/budget.ts has the same rules for forecasts and lists; a test compares the two.
set local search_path = outrider, app, public;

-- Default budgets by tier (catalog, defaults.budgets); -1: no limit of that window.
create function app.default_budget(p_tier text, p_action text, out day int, out week int)
  language sql immutable
  as $$
    select coalesce(d.day, 0), coalesce(d.week, -1) from (select 1) one left join (values
      ('*', 'post', 3, -1), ('*', 'search', 30, -1), ('*', 'profile_scrape', 100, -1), ('*', 'mail', 40, -1),
      ('basic', 'connection_request', 15, 80), ('basic', 'connection_request_with_note', 1, 1), ('basic', 'message', 40, 200),
      ('basic', 'inmail', 0, -1), ('basic', 'profile_view', 50, -1), ('basic', 'like', 30, -1), ('basic', 'comment', 10, -1),
      ('basic', 'follow', 15, -1), ('basic', 'endorse', 10, -1), ('basic', 'withdraw_request', 40, -1),
      ('premium', 'connection_request', 20, 100), ('premium', 'connection_request_with_note', 20, 100), ('premium', 'message', 50, 250),
      ('premium', 'inmail', 15, -1), ('premium', 'profile_view', 80, -1), ('premium', 'like', 30, -1), ('premium', 'comment', 15, -1),
      ('premium', 'follow', 20, -1), ('premium', 'endorse', 15, -1), ('premium', 'withdraw_request', 40, -1),
      ('sales', 'connection_request', 25, 150), ('sales', 'connection_request_with_note', 25, 150), ('sales', 'message', 60, 300),
      ('sales', 'inmail', 30, -1), ('sales', 'profile_view', 100, -1), ('sales', 'like', 40, -1), ('sales', 'comment', 15, -1),
      ('sales', 'follow', 25, -1), ('sales', 'endorse', 20, -1), ('sales', 'withdraw_request', 50, -1)
    ) as d (tier, action, day, week) on d.tier in ('*', case p_tier when 'recruiter' then 'sales' else p_tier end) and d.action = p_action
  $$;

-- Effective limits of a date: floor(min(tier, configured, ceiling) x ramp x health), at least 1 unless limit or health is 0.
-- p_days: local dates since the first send (0 before it). A setting can lower the tier's limit, not raise it.
create function app.effective_limit(p_tier text, p_action text, p_configured jsonb, p_ramp boolean, p_ramp_days int, p_start_share float8, p_days int, p_health float8,
    out day int, out week int)
  language plpgsql immutable
  as $$
  declare
    share float8 := 1;
    base record;
  begin
    select * into base from app.default_budget(p_tier, p_action);
    day := least(base.day, (p_configured -> p_action ->> 'day')::int);
    week := case when base.week < 0 then coalesce((p_configured -> p_action ->> 'week')::int, -1) else least(base.week, (p_configured -> p_action ->> 'week')::int) end;
    if p_action in ('connection_request', 'connection_request_with_note') then
      day := least(day, 100);
      week := least(case when week < 0 then 200 else week end, 200);
    end if;
    if p_ramp and p_ramp_days > 0 then share := least(1, p_start_share + (1 - p_start_share) * greatest(p_days, 0) / p_ramp_days); end if;
    if p_health <= 0 then day := 0; week := 0; return; end if;
    -- The epsilon keeps 10 x 0.7 from becoming 6.999…
    if day > 0 then day := greatest(1, floor(day * share * p_health + 1e-9)); end if;
    if week > 0 then week := greatest(1, floor(week * share * p_health + 1e-9)); end if;
  end $$;

-- The seven daily counters moved to another head date.
create function app.roll_window(p_used int[], p_head date, p_to date) returns int[] language sql immutable
  as $$
    select case when p_to <= p_head then p_used when p_to - p_head >= 7 then '{0,0,0,0,0,0,0}'::int[]
      else (array_fill(0, array[p_to - p_head]) || p_used)[1:7] end
  $$;
create function app.sum_of(p_used int[]) returns int language sql immutable as $$ select coalesce(sum(u), 0)::int from unnest(p_used) u $$;

-- Local date of an account; midnight of a local date as epoch ms.
create function app.local_date(p_now bigint, p_zone text) returns date language sql stable
  as $$ select (to_timestamp(p_now / 1000.0) at time zone p_zone)::date $$;
create function app.midnight(p_date date, p_zone text) returns bigint language sql stable
  as $$ select (extract(epoch from (p_date::timestamp at time zone p_zone)) * 1000)::bigint $$;

-- A repeatable number in (0, 1): the same account, draw and purpose give the same pause after a restart.
create function app.seeded(p_account text, p_draw bigint, p_purpose text) returns float8 language sql immutable
  as $$ select ((hashtextextended(p_account || ':' || p_draw || ':' || p_purpose, 7) & 4503599627370495) + 0.5) / 4503599627370496.0 $$;

-- Gap after an action in ms: truncated log-normal, heavy 120-420 s (people are reached), light 20-90 s.
create function app.gap_ms(p_account text, p_draw bigint, p_heavy boolean) returns bigint language sql immutable
  as $$
    select (least(b.top, greatest(b.low, exp(ln(b.middle) + 0.35 * sqrt(-2 * ln(app.seeded(p_account, p_draw, 'g1'))) * cos(2 * pi() * app.seeded(p_account, p_draw, 'g2')))))
      * 1000 + 1000 * app.seeded(p_account, p_draw, 'ms'))::bigint
    from (select case when p_heavy then 120.0 else 20.0 end::float8 as low, case when p_heavy then 419.0 else 89.0 end::float8 as top,
                 case when p_heavy then 215.0 else 42.0 end::float8 as middle) b
  $$;

-- Where an account's pacing stands; carried through a batch in memory and written once.
create type app.pacing as (account_id text, heavy_free_at bigint, light_free_at bigint, session_ends_at bigint, draws bigint);

-- The next free moment of this class (not before p_now) and the state after it was used.
-- Sessions of 20 to 60 minutes are followed by pauses of 5 to 20 minutes.
create function app.next_slot(p app.pacing, p_now bigint, p_heavy boolean, out slot bigint, out after app.pacing)
  language plpgsql immutable
  as $$
  declare
    pause bigint := 300000 + (900000 * app.seeded(p.account_id, p.draws, 'pause'))::bigint;
  begin
    after := p;
    slot := greatest(p_now, case when p_heavy then p.heavy_free_at else p.light_free_at end);
    if slot >= p.session_ends_at then
      if p.session_ends_at > 0 then slot := greatest(slot, p.session_ends_at + pause); end if;
      after.session_ends_at := slot + 1200000 + (2400000 * app.seeded(p.account_id, p.draws, 'session'))::bigint;
    end if;
    if p_heavy then after.heavy_free_at := slot + app.gap_ms(p.account_id, p.draws, true);
    else after.light_free_at := slot + app.gap_ms(p.account_id, p.draws, false); end if;
    after.draws := p.draws + 1;
  end $$;

-- Opens the budget row of an account and action for the local date of p_now: makes, rolls and locks it, refreshes its
-- limits. left_units: what this workspace may still take (guaranteed shares of others kept back); wait_days: days until the
-- week window frees a unit. The account's pacing row must be locked before.
create function app.open_budget(p_account text, p_action text, p_workspace text, p_now bigint, out left_units int, out day_limit int, out wait_days int, out head date)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    a record;
    b record;
    lim record;
    rolled int[];
    theirs jsonb;
    kept int;
  begin
    select * into a from network_account where id = p_account;
    head := app.local_date(p_now, a.timezone);
    insert into account_budget (account_id, action, head_date, limit_day, limit_week) values (p_account, p_action, head, 0, 0) on conflict do nothing;
    select * into b from account_budget where account_id = p_account and action = p_action for update;
    -- A change of timezone never turns a date back.
    head := greatest(head, b.head_date);
    rolled := app.roll_window(b.used, b.head_date, head);
    theirs := case when head > b.head_date then '{}'::jsonb else b.by_workspace end;
    lim := app.effective_limit(a.tier, p_action, a.limits, a.ramp_enabled, a.ramp_days, a.ramp_start_share,
      case when a.first_send_at is null then 0 else head - app.local_date(a.first_send_at, a.timezone) end, a.health);
    update account_budget set head_date = head, used = rolled, by_workspace = theirs,
        reserved = case when head > b.head_date then 0 else b.reserved end,
        limit_day = greatest(lim.day, rolled[1]), limit_week = lim.week
      where account_id = p_account and action = p_action
        and (b.head_date <> head or b.limit_day <> greatest(lim.day, rolled[1]) or b.limit_week <> lim.week);
    select coalesce(sum(greatest(0, floor(lim.day * l.share)::int - coalesce((theirs ->> l.workspace_id)::int, 0))), 0) into kept
      from account_link l where l.account_id = p_account and l.workspace_id <> p_workspace;
    day_limit := lim.day;
    left_units := lim.day - rolled[1] - kept;
    wait_days := 1;
    if lim.week >= 0 then
      left_units := least(left_units, lim.week - app.sum_of(rolled));
      while wait_days < 7 and app.sum_of(rolled[1:7 - wait_days]) >= lim.week loop wait_days := wait_days + 1; end loop;
    end if;
    left_units := greatest(0, left_units);
  end $$;
alter function app.open_budget(text, text, text, bigint) owner to outrider_definer;
grant execute on function app.open_budget(text, text, text, bigint) to outrider_definer;

-- Gives units back for sends that are proven not to have happened (or were never dispatched), and their keys.
create function app.return_sends(p_sends uuid[]) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare x record;
  begin
    perform 1 from account_pacing where account_id in (select s.account_id from send s where s.id = any (p_sends)) order by account_id for update;
    for x in
      select s.account_id, s.workspace_id, s.budget_date, a.action, count(*)::int as units
      from send s cross join lateral unnest(s.budgets) as a (action) where s.id = any (p_sends) group by 1, 2, 3, 4 order by 1, 4
    loop
      update account_budget b set
          used[1 + (b.head_date - x.budget_date)] = greatest(0, b.used[1 + (b.head_date - x.budget_date)] - x.units),
          reserved = greatest(0, b.reserved - case when b.head_date = x.budget_date then x.units else 0 end),
          by_workspace = case when b.head_date = x.budget_date
            then jsonb_set(b.by_workspace, array[x.workspace_id], to_jsonb(greatest(0, coalesce((b.by_workspace ->> x.workspace_id)::int, 0) - x.units)))
            else b.by_workspace end
        where b.account_id = x.account_id and b.action = x.action and b.head_date - x.budget_date between 0 and 6;
    end loop;
    delete from send_key k using send s where s.id = any (p_sends) and k.key = s.send_key and k.send_id = s.id;
  end $$;
alter function app.return_sends(uuid[]) owner to outrider_definer;
grant execute on function app.return_sends(uuid[]) to outrider_definer;
grant execute on function app.default_budget(text, text), app.effective_limit(text, text, jsonb, boolean, int, float8, int, float8), app.roll_window(int[], date, date),
  app.sum_of(int[]), app.local_date(bigint, text), app.midnight(date, text), app.seeded(text, bigint, text), app.gap_ms(text, bigint, boolean),
  app.next_slot(app.pacing, bigint, boolean) to outrider_app, outrider_executor, outrider_definer;
