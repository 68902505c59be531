-- What an account's settings tool stores and the ledger observes: pace, and the share of a day that weekends get.
set local search_path = outrider, app, public;

-- null: the platform's pace. {minGapSeconds, maxGapSeconds, sessionMinutes, weekendFactor}, each field optional.
alter table outrider.network_account add column pacing jsonb;

-- Gap after an action in ms: truncated log-normal, 120-420 s for kinds that reach a person unless the account says otherwise;
-- light kinds (20-90 s) are stretched or shortened in the same proportion. pkg/domain/pacing.ts has the mean for forecasts.
drop function app.gap_ms(text, bigint, boolean);
create function app.gap_ms(p_account text, p_draw bigint, p_heavy boolean, p_pacing jsonb) returns bigint language sql immutable
  as $$
    select (least(b.top, greatest(b.low, exp(ln(b.middle) + 0.35 * sqrt(-2 * ln(app.seeded(p_account, p_draw, 'g1'))) * cos(2 * pi() * app.seeded(p_account, p_draw, 'g2')))))
      * 1000 + 1000 * app.seeded(p_account, p_draw, 'ms'))::bigint
    from (
      select s.least_s * k.low as low, greatest(s.least_s * k.low, s.most_s * k.top - 1) as top,
        greatest(s.least_s * k.low, s.least_s * k.low + (s.most_s * k.top - s.least_s * k.low) * k.middle) as middle
      from (select least(n.lo, n.hi) as least_s, n.hi as most_s from (
              select coalesce((p_pacing ->> 'minGapSeconds')::float8, 120) as lo, coalesce((p_pacing ->> 'maxGapSeconds')::float8, 420) as hi) n) s
        cross join (select case when p_heavy then 1.0 else 20 / 120.0 end::float8 as low, case when p_heavy then 1.0 else 90 / 420.0 end::float8 as top,
          case when p_heavy then 95 / 300.0 else 22 / 70.0 end::float8 as middle) k) b
  $$;

-- The next free moment of this class (not before p_now) and the state after it was used. Sessions of 20 to 60 minutes, or as
-- long as the account's pace says, are followed by pauses of 5 to 20 minutes.
drop function app.next_slot(app.pacing, bigint, boolean);
create function app.next_slot(p app.pacing, p_now bigint, p_heavy boolean, out slot bigint, out after app.pacing)
  language plpgsql stable
  as $$
  declare
    pause bigint := 300000 + (900000 * app.seeded(p.account_id, p.draws, 'pause'))::bigint;
    pace jsonb;
    session float8;
  begin
    select a.pacing into pace from outrider.network_account a where a.id = p.account_id;
    session := coalesce((pace ->> 'sessionMinutes')::float8, 45) * 60000;
    after := p;
    slot := greatest(p_now, case when p_heavy then p.heavy_free_at else p.light_free_at end);
    if slot >= p.session_ends_at then
      if p.session_ends_at > 0 then slot := greatest(slot, p.session_ends_at + pause); end if;
      after.session_ends_at := slot + (session * 4 / 9 + session * 8 / 9 * app.seeded(p.account_id, p.draws, 'session'))::bigint;
    end if;
    if p_heavy then after.heavy_free_at := slot + app.gap_ms(p.account_id, p.draws, true, pace);
    else after.light_free_at := slot + app.gap_ms(p.account_id, p.draws, false, pace); end if;
    after.draws := p.draws + 1;
  end $$;

-- The part of a day's limit that a date gets: all of it on working days, the account's weekendFactor on Saturday and Sunday
-- (unset: all of it, business hours alone decide).
create function app.weekend_limit(p_day int, p_date date, p_pacing jsonb) returns int language sql immutable
  as $$
    select case when extract(isodow from p_date) < 6 or p_day <= 0 then p_day
      else (select case when f.share <= 0 then 0 else greatest(1, floor(p_day * f.share + 1e-9))::int end
            from (select coalesce((p_pacing ->> 'weekendFactor')::float8, 1) as share) f) end
  $$;

-- As before, with the date's share of the day's limit.
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
    perform 1 from account_budget b join unnest(p_accounts, p_actions) as k (account_id, action) on b.account_id = k.account_id and b.action = k.action for update of b;
    return query
    with now_rows as materialized (
      select b.account_id, b.action, b.head_date, b.used, b.by_workspace, b.limit_day, b.limit_week, h.head,
        app.roll_window(b.used, b.head_date, h.head) as rolled,
        case when h.head > b.head_date then '{}'::jsonb else b.by_workspace end as theirs,
        app.weekend_limit(lim.day, h.head, a.pacing) as day, lim.week
      from unnest(p_accounts, p_actions) as k (account_id, action)
        join account_budget b on b.account_id = k.account_id and b.action = k.action
        join network_account a on a.id = b.account_id
        -- A change of timezone never turns a date back.
        cross join lateral (select greatest(app.local_date(p_now, a.timezone), b.head_date) as head) h
        cross join lateral app.effective_limit(a.tier, b.action, a.limits, a.ramp_enabled, a.ramp_days, a.ramp_start_share,
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

-- Runs that wait for a budget or a slot look again when the account's settings change.
create function app.wake_waiting(p_account text) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not app.may_use_account(p_account) then return; end if;
    update run set due_at = 0 where account_id = p_account and wait_reason in ('budget', 'pacing', 'business_hours') and send_id is null
      and ended_at is null and due_at is not null and state not in ('paused', 'replied');
    perform app.wake_workspaces((select array_agg(l.workspace_id) from account_link l where l.account_id = p_account), 0, 'settings');
  end $$;

-- What other workspaces are guaranteed of an account; nobody sees whom.
create function app.other_shares(p_account text, p_workspace text) returns float8
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(sum(l.share), 0)::float8 from account_link l
    where l.account_id = p_account and l.workspace_id <> p_workspace and app.may_use_account(p_account)
  $$;

-- What happened to an account, for its health: sessions that broke, limit signals, restrictions; kept for 90 days.
create table outrider.account_incident (
  account_id text not null references outrider.network_account (id),
  at bigint not null,
  kind text not null check (kind in ('session_lost', 'restricted', 'limit_signal')),
  primary key (account_id, kind, at)
);
alter table outrider.account_incident enable row level security;
alter table outrider.account_incident force row level security;
create policy owner_all on outrider.account_incident to outrider_owner using (true) with check (true);
create policy definer_all on outrider.account_incident to outrider_definer using (true) with check (true);
grant select, insert, delete on outrider.account_incident to outrider_definer;

-- Notes incidents. After a restriction the ramp-up begins again at half (catalog, stateMachines.networkAccount).
create function app.on_account_change() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare kind text;
  begin
    kind := case when new.status <> old.status and new.status = 'restricted' then 'restricted'
      when new.status <> old.status and new.status in ('checkpoint', 'credentials_expired', 'disconnected') then 'session_lost'
      when coalesce(new.cooldown_until, 0) > coalesce(old.cooldown_until, 0) then 'limit_signal' end;
    if kind is not null then
      insert into account_incident (account_id, at, kind) values (new.id, case kind when 'limit_signal' then new.cooldown_until else new.status_since end, kind) on conflict do nothing;
      delete from account_incident i where i.account_id = new.id and i.at < new.status_since - 90 * 86400000::bigint;
    end if;
    if old.status = 'restricted' and new.status = 'ok' then
      new.ramp_enabled := true;
      if new.first_send_at is not null then
        new.first_send_at := new.status_since - case when new.ramp_start_share >= 0.5 then 0
          else floor(new.ramp_days * (0.5 - new.ramp_start_share) / (1 - new.ramp_start_share)) * 86400000 end::bigint;
      end if;
    end if;
    return new;
  end $$;
create trigger on_account_change before update of status, cooldown_until on outrider.network_account for each row execute function app.on_account_change();

-- Facts of an account's health, over all workspaces that share it; counts only. p_now: product time, epoch ms.
-- Requests are judged after a week, messages after three days, both within 60 days.
create function app.account_facts(p_account text, p_now bigint, out requests int, out accepted int, out pending int, out messaged int, out replied int,
    out busiest_day int, out usual_day float8, out sessions_lost int, out limit_signals int, out restrictions int, out connections int)
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  declare day_ms constant bigint := 86400000;
  begin
    if not app.may_use_account(p_account) then return; end if;
    select count(*), count(*) filter (where r.state = 'connected' and r.connected_at >= s.claimed_at) into requests, accepted
      from send s left join relation r on r.account_id = s.account_id and r.person_id = s.person_id
      where s.account_id = p_account and s.claimed_at between p_now - 60 * day_ms and p_now - 7 * day_ms and s.state = 'confirmed' and s.action like 'connection_request%';
    select count(*) filter (where state = 'pending'), count(*) filter (where state = 'connected') into pending, connections from relation where account_id = p_account;
    select count(*), count(*) filter (where exists (
        select 1 from conversation c join message m on m.conversation_id = c.id
        where c.account_id = p_account and c.person_id = x.person_id and m.direction = 'in' and m.sent_at >= x.first_at)) into messaged, replied
      from (select s.person_id, min(s.claimed_at) as first_at from send s
            where s.account_id = p_account and s.claimed_at between p_now - 60 * day_ms and p_now - 3 * day_ms and s.state = 'confirmed' and s.action in ('message', 'inmail')
            group by 1) x;
    -- Days of the window on which something that reaches a person went out.
    select coalesce(max(d.units), 0), coalesce(avg(d.units), 0) into busiest_day, usual_day
      from (select u.day, sum(u.units)::int as units from account_budget b cross join lateral unnest(b.used) with ordinality as u (units, day)
            where b.account_id = p_account and b.action in ('connection_request', 'message', 'inmail', 'comment')
              and b.head_date > app.local_date(p_now, (select timezone from network_account where id = p_account)) - 7 group by 1) d
      where d.units > 0;
    select count(distinct i.at / day_ms) filter (where i.kind = 'session_lost'), count(distinct i.at / day_ms) filter (where i.kind = 'limit_signal'),
        count(distinct i.at / day_ms) filter (where i.kind = 'restricted') into sessions_lost, limit_signals, restrictions
      from account_incident i where i.account_id = p_account and i.at > p_now - 30 * day_ms;
  end $$;

do $$
declare f text;
begin
  foreach f in array array['other_shares(text, text)', 'wake_waiting(text)', 'on_account_change()', 'account_facts(text, bigint)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_definer, outrider_owner', f);
  end loop;
end $$;
grant execute on function app.on_account_change() to outrider_app, outrider_executor;
grant execute on function app.other_shares(text, text), app.wake_waiting(text) to outrider_app;
grant execute on function app.account_facts(text, bigint) to outrider_app, outrider_executor;
grant execute on function app.gap_ms(text, bigint, boolean, jsonb), app.next_slot(app.pacing, bigint, boolean), app.weekend_limit(int, date, jsonb)
  to outrider_app, outrider_executor, outrider_definer;
