-- The claim of a batch, cheaper: what is equal for many rows is asked once. Policies are read once per campaign, freezes and
-- guards once per batch, a tier's budgets once per tier. Rules and order of checks are those of before.
set local search_path = outrider, app, public;

-- Why nothing of these (campaign, workflow, account) may go out now, or null. Nothing leaves through an account that was not
-- compared since this server started; it is asked again soon.
create or replace function app.stops_of(p_workspace text, p_campaigns text[], p_workflows text[], p_accounts text[], p_now bigint)
  returns table (campaign_id text, workflow_id text, account_id text, reason text, until bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with d as materialized (select * from unnest(p_campaigns, p_workflows, p_accounts) as d (campaign_id, workflow_id, account_id)),
    flows as materialized (select g.*, app.flow_stop(p_workspace, g.campaign_id, g.workflow_id) as stop from (select distinct d.campaign_id, d.workflow_id from d) g),
    guard as materialized (select g.checked_start is null as needless, g.checked_start = pg_postmaster_start_time() as current,
      exists (select 1 from installation i where i.rehearsal) as rehearsal from restore_guard g),
    checked as materialized (select k.account_id from account_guard k where k.account_id = any (p_accounts) and k.checked_start = pg_postmaster_start_time()),
    freezes as materialized (select s.scope, s.target, s.channel, s.until from send_freeze s
      where (s.scope = 'platform' or (s.scope = 'workspace' and s.target = p_workspace) or (s.scope = 'account' and s.target = any (p_accounts)))
        and (s.until is null or s.until > p_now)),
    x as (
      select d.campaign_id, d.workflow_id, d.account_id, f.stop, a.status, a.paused, a.cooldown_until, l.account_id is not null as linked,
        g.needless or (g.current and k.account_id is not null) as guarded, g.rehearsal and a.provider <> 'sandbox' as rehearsed, coalesce(a.kind, 'network') as kind
      from d join flows f on f.campaign_id = d.campaign_id and f.workflow_id = d.workflow_id
        cross join guard g
        left join checked k on k.account_id = d.account_id
        left join network_account a on a.id = d.account_id
        left join account_link l on l.account_id = d.account_id and l.workspace_id = p_workspace
    )
    select x.campaign_id, x.workflow_id, x.account_id,
      case when x.stop is not null then x.stop when z.frozen or not x.guarded then 'send_freeze'
        when x.rehearsed or x.status <> 'ok' or x.paused or coalesce(x.cooldown_until, 0) > p_now or not x.linked then 'account_unhealthy' end,
      case when x.stop is not null then null when z.frozen then coalesce(z.until, case when z.channel = 'mail' then p_now + 900000 end) when not x.guarded then p_now + 5000
        when not coalesce(x.rehearsed, false) and x.status = 'ok' and not x.paused and x.cooldown_until > p_now then x.cooldown_until end
    from x left join lateral (select true as frozen, s.until, s.channel from freezes s
        where (s.scope <> 'account' or s.target = x.account_id) and s.channel in ('', x.kind)
        order by s.until desc nulls first, s.channel limit 1) z on true
  $$;

-- The limits of a tier's budget for one account: what it configures, the network's own bounds, ramp-up and health.
create function app.scaled_limit(p_base_day int, p_base_week int, p_action text, p_configured jsonb, p_ramp boolean, p_ramp_days int, p_start_share float8, p_days int, p_health float8,
    out day int, out week int)
  language plpgsql immutable
  as $$
  declare
    share float8 := 1;
  begin
    if p_health <= 0 then day := 0; week := 0; return; end if;
    day := least(p_base_day, (p_configured -> p_action ->> 'day')::int);
    week := case when p_base_week < 0 then coalesce((p_configured -> p_action ->> 'week')::int, -1) else least(p_base_week, (p_configured -> p_action ->> 'week')::int) end;
    if p_action in ('connection_request', 'connection_request_with_note') then
      day := least(day, 100);
      week := least(case when week < 0 then 200 else week end, 200);
    end if;
    if p_ramp and p_ramp_days > 0 then share := least(1, p_start_share + (1 - p_start_share) * greatest(p_days, 0) / p_ramp_days); end if;
    -- The epsilon keeps 10 x 0.7 from becoming 6.999…
    if day > 0 then day := greatest(1, floor(day * share * p_health + 1e-9)); end if;
    if week > 0 then week := greatest(1, floor(week * share * p_health + 1e-9)); end if;
  end $$;

create or replace function app.effective_limit(p_tier text, p_action text, p_configured jsonb, p_ramp boolean, p_ramp_days int, p_start_share float8, p_days int, p_health float8,
    out day int, out week int)
  language sql immutable
  as $$
    select s.day, s.week from app.default_budget(p_tier, p_action) b
      cross join lateral app.scaled_limit(b.day, b.week, p_action, p_configured, p_ramp, p_ramp_days, p_start_share, p_days, p_health) s
  $$;

-- As before; the tiers' own budgets are looked up once for each tier and action of the batch.
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

create or replace function app.claim_sends(p_now bigint, p_requests jsonb) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    r record;
    n record;
    open_account text;
    left_units jsonb := '{}';   -- action -> units left, paced ones counted
    open_rows jsonb := '{}';    -- action -> {day, wait, over}
    p app.pacing;
    v app.pacing;
    states app.pacing[] := '{}';
    companies jsonb := '{}';
    act text;
    why text;
    whenat bigint;
    won uuid[] := '{}';
    out_run uuid[] := '{}';
    out_why text[] := '{}';
    out_at bigint[] := '{}';
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    insert into account_pacing (account_id)
      select distinct l.account_id from jsonb_to_recordset(p_requests) as q ("accountId" text) join account_link l on l.account_id = q."accountId" and l.workspace_id = ws
      on conflict do nothing;
    perform 1 from account_pacing where account_id in (select q."accountId" from jsonb_to_recordset(p_requests) as q ("accountId" text)) order by account_id for update;
    for r in
      with q as (
        select x.*, row_number() over () as ord from jsonb_to_recordset(p_requests)
          as x ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], once text)
      ),
      policies as materialized (
        select c.id, coalesce(c.settings -> 'contactPolicy' ->> 'dedupeScope', 'workspace') as dedupe_scope,
          coalesce((c.settings -> 'contactPolicy' ->> 'stopOnReply')::boolean, true) as stop_on_reply,
          app.policy_days(c.settings, 'recontactAfterDays', 90)::bigint * 86400000 as recontact_ms,
          app.policy_days(c.settings, 'minDaysBetweenTouches', 2)::bigint * 86400000 as touch_ms,
          app.policy_days(c.settings, 'maxLeadsPerCompanyPerDay', 3) as company_limit,
          app.scope_key(c.settings, c.id, ws, w.agency_id, '') as scope_key, w.timezone as ws_zone, w.agency_id
        from campaign c cross join workspace w
        where w.id = ws and c.id in (select u.campaign_id from run u where u.id in (select q."runId" from q))
      ),
      j as (
        select q.*, u.workflow_id, u.campaign_id, u.person_id, u.lead_id, c.dedupe_scope, c.recontact_ms, c.touch_ms, c.company_limit, l.company_key, c.ws_zone, c.agency_id, a.timezone as zone,
          app.is_heavy(q.action) as heavy,
          u.ended_at is not null or u.state = 'paused' as gone,
          exists (select 1 from hold h where h.kind = 'run' and h.id = u.id::text) as held,
          coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office'
            and c.stop_on_reply as replied,
          case q.once when 'account' then 'r:' || q."accountId" || ':' || u.person_id else 'm:' || u.person_id || ':' || u.workflow_id || ':' || q."nodeId" end as send_key,
          case c.dedupe_scope when 'account' then c.scope_key || q."accountId" else c.scope_key end as scope_key
        from q join run u on u.id = q."runId" and u.workspace_id = ws
          join policies c on c.id = u.campaign_id join lead l on l.id = u.lead_id
          left join network_account a on a.id = q."accountId"
      ),
      stops as (
        select t.campaign_id, t.workflow_id, t.account_id as "accountId", t.reason, t.until
        from (select array_agg(campaign_id) as campaigns, array_agg(workflow_id) as workflows, array_agg("accountId") as accounts
              from (select distinct campaign_id, workflow_id, "accountId" from j) d) k
          cross join lateral app.stops_of(ws, k.campaigns, k.workflows, k.accounts, p_now) t
      ),
      barred as (
        select s.lead_id, s.source from (select campaign_id, array_agg(lead_id) as leads from j group by 1) g
          cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) s
      ),
      touched as (
        select g.person_id, j."runId",
          max(g.last_at) filter (where g.workspace_id = ws) as last_at,
          max(g.last_at) filter (where g.workflow_id <> j.workflow_id and (case j.dedupe_scope
            when 'campaign' then g.campaign_id = j.campaign_id when 'account' then g.account_id = j."accountId"
            when 'agency' then g.workspace_id = ws or g.workspace_id in (select a.id from workspace a where a.agency_id = j.agency_id)
            else g.workspace_id = ws end)) as other_at
        from j join contact_log g on g.person_id = j.person_id group by 1, 2
      ),
      today as (
        select l.company_key, count(distinct s.person_id)::int as people, array_agg(distinct s.person_id) as persons
        from send s join lead l on l.id = s.lead_id
        where s.workspace_id = ws and s.claimed_at >= app.midnight(app.local_date(p_now, (select timezone from workspace where id = ws)), (select timezone from workspace where id = ws))
          and app.is_heavy(s.action) and s.state <> 'failed' and l.company_key in (select company_key from j where company_key <> '')
        group by 1
      ),
      opened as (
        select o.account_id, jsonb_object_agg(o.action, jsonb_build_object('left', o.left_units, 'day', o.day_limit, 'wait', o.wait_days, 'head', o.head)) as budget_rows
        from (select array_agg(d."accountId") as accounts, array_agg(d.action) as actions
              from (select distinct q."accountId", b.action from q cross join lateral unnest(q.budgets) as b (action)) d) k
          cross join lateral app.open_budgets(ws, p_now, k.accounts, k.actions) o
        group by 1
      )
      select j.*, o.budget_rows, x.account_id as pacing_id, x.heavy_free_at, x.light_free_at, x.session_ends_at, x.draws, s.reason as stop, s.until, b.source as suppressed, t.last_at, t.other_at, k.key as taken, cc.run_id as holder, cc.released_at, cc.cool_until,
        coalesce(d.people, 0) as company_people, coalesce(j.person_id = any (d.persons), false) as company_known
      from j
        left join stops s on s.campaign_id = j.campaign_id and s.workflow_id = j.workflow_id and s."accountId" = j."accountId"
        left join barred b on b.lead_id = j.lead_id
        left join touched t on t."runId" = j."runId"
        left join send_key k on k.key = j.send_key
        left join contact_claim cc on cc.scope_key = j.scope_key and cc.person_id = j.person_id
        left join today d on d.company_key = j.company_key
        left join opened o on o.account_id = j."accountId"
        left join account_pacing x on x.account_id = j."accountId"
      order by j."accountId", j.ord
    loop
      why := case
        when r.gone then 'gone'
        when r.held then 'send_freeze'
        when r.suppressed is not null then 'suppressed'
        when r.replied then 'replied'
        when r.taken is not null then 'already_sent'
        when r.heavy and r.other_at > p_now - r.recontact_ms then 'recontact'
        when r.stop is not null then r.stop
        when r.holder is distinct from r."runId" and r.holder is not null and (r.released_at is null or coalesce(r.cool_until, 0) > p_now) then 'claim_held_elsewhere'
        when r.heavy and r.last_at + r.touch_ms > p_now then 'duration'
        when r.heavy and r.company_key <> '' and not r.company_known
          and r.company_people + coalesce((companies ->> r.company_key)::int, 0) >= r.company_limit
          and r.company_limit > 0 then 'company_limit'
        end;
      whenat := case why
        when 'send_freeze' then r.until when 'account_unhealthy' then r.until
        when 'claim_held_elsewhere' then r.cool_until
        when 'duration' then r.last_at + r.touch_ms
        when 'company_limit' then app.midnight(app.local_date(p_now, r.ws_zone) + 1, r.ws_zone)
        end;
      if why is null then
        if open_account is distinct from r."accountId" then
          if open_account is not null then states := states || p; end if;
          open_account := r."accountId";
          left_units := '{}';
          open_rows := '{}';
          p := row(r.pacing_id, r.heavy_free_at, r.light_free_at, r.session_ends_at, r.draws)::app.pacing;
          v := null;
        end if;
        foreach act in array r.budgets loop
          if not left_units ? act then
            left_units := left_units || jsonb_build_object(act, coalesce((r.budget_rows -> act ->> 'left')::int, 0));
            open_rows := open_rows || jsonb_build_object(act, coalesce(r.budget_rows -> act, '{}') || '{"over": 0}');
          end if;
          if (left_units ->> act)::int <= 0 then
            why := 'budget';
            whenat := app.midnight((open_rows -> act ->> 'head')::date + (open_rows -> act ->> 'wait')::int
              + least(6, (open_rows -> act ->> 'over')::int / greatest(1, (open_rows -> act ->> 'day')::int)), r.zone);
            open_rows := jsonb_set(open_rows, array[act, 'over'], to_jsonb((open_rows -> act ->> 'over')::int + 1));
            exit;
          end if;
        end loop;
      end if;
      if why is null then
        foreach act in array r.budgets loop
          left_units := jsonb_set(left_units, array[act], to_jsonb((left_units ->> act)::int - 1));
        end loop;
        n := app.next_slot(p, p_now, r.heavy);
        if n.slot <= p_now then
          p := n.after;
          won := won || r."sendId";
          if r.heavy and r.company_key <> '' then
            companies := companies || jsonb_build_object(r.company_key, coalesce((companies ->> r.company_key)::int, 0) + 1);
          end if;
        else
          why := 'pacing';
          n := app.next_slot(coalesce(v, p), p_now, r.heavy);
          v := n.after;
          whenat := n.slot;
        end if;
      end if;
      if why is not null then
        out_run := out_run || r."runId";
        out_why := out_why || why;
        out_at := out_at || whenat;
      end if;
    end loop;
    if open_account is not null then states := states || p; end if;
    update account_pacing x set heavy_free_at = s.heavy_free_at, light_free_at = s.light_free_at, session_ends_at = s.session_ends_at, draws = s.draws
      from unnest(states) s where s.account_id = x.account_id and s.draws <> x.draws;
    return query select * from app.take_sends(ws, p_now, p_requests, won);
    return query select u.run_id, false, u.why, u.at from unnest(out_run, out_why, out_at) as u (run_id, why, at);
  end $$;

-- CREATE OR REPLACE drops a function's settings; this is called in transactions whose statements look up by index only. It may
-- hash what it has gathered itself, but finds rows of tables by index: a batch's cost must not grow with them.
do $$
declare path text;
begin
  foreach path in array array['hashjoin', 'mergejoin', 'sort', 'bitmapscan', 'material'] loop
    execute format('alter function app.claim_sends(bigint, jsonb) set enable_%s = on', path);
  end loop;
  alter function app.claim_sends(bigint, jsonb) set enable_seqscan = off;
  alter function app.claim_sends(bigint, jsonb) set random_page_cost = 0.5;
end $$;
grant execute on function app.scaled_limit(int, int, text, jsonb, boolean, int, float8, int, float8) to outrider_app, outrider_executor, outrider_definer;
