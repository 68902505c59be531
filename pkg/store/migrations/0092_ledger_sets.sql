-- The ledger by sets: stops, budgets and relations of a whole batch by one statement each, under the same locks and rules.
set local search_path = outrider, app, public;

-- Why nothing of these (campaign, workflow, account) may go out now, or null. Nothing leaves through an account that was not
-- compared since this server started; it is asked again soon.
create function app.stops_of(p_workspace text, p_campaigns text[], p_workflows text[], p_accounts text[], p_now bigint)
  returns table (campaign_id text, workflow_id text, account_id text, reason text, until bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with d as materialized (select * from unnest(p_campaigns, p_workflows, p_accounts) as d (campaign_id, workflow_id, account_id)),
    flows as materialized (select g.*, app.flow_stop(p_workspace, g.campaign_id, g.workflow_id) as stop from (select distinct d.campaign_id, d.workflow_id from d) g),
    guards as materialized (select k.account_id, app.is_guarded(k.account_id) as guarded, app.is_rehearsed(k.account_id) as rehearsed from (select distinct d.account_id from d) k)
    select d.campaign_id, d.workflow_id, d.account_id,
      case when f.stop is not null then f.stop when z.frozen or not g.guarded then 'send_freeze'
        when g.rehearsed or a.status <> 'ok' or a.paused or coalesce(a.cooldown_until, 0) > p_now or l.account_id is null then 'account_unhealthy' end,
      case when f.stop is not null then null when z.frozen then z.until when not g.guarded then p_now + 5000
        when not g.rehearsed and a.status = 'ok' and not a.paused and a.cooldown_until > p_now then a.cooldown_until end
    from d join flows f on f.campaign_id = d.campaign_id and f.workflow_id = d.workflow_id
      join guards g on g.account_id = d.account_id
      left join network_account a on a.id = d.account_id
      left join account_link l on l.account_id = d.account_id and l.workspace_id = p_workspace
      left join lateral (select true as frozen, s.until from send_freeze s
        where (s.scope = 'platform' or (s.scope = 'workspace' and s.target = p_workspace) or (s.scope = 'account' and s.target = d.account_id))
          and s.channel in ('', 'network') and (s.until is null or s.until > p_now)
        order by s.until desc nulls first limit 1) z on true
  $$;

-- The budgets of all accounts and actions of a batch: makes, rolls and locks their rows and refreshes the limits. The
-- accounts' pacing rows must be locked before, so that the order of these locks can't matter.
create function app.open_budgets(p_workspace text, p_now bigint, p_accounts text[], p_actions text[])
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
        case when h.head > b.head_date then '{}'::jsonb else b.by_workspace end as theirs, lim.day, lim.week
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
      j as (
        select q.*, u.workflow_id, u.campaign_id, u.person_id, u.lead_id, c.settings, l.company_key, w.timezone as ws_zone, w.agency_id, a.timezone as zone,
          app.is_heavy(q.action) as heavy,
          u.ended_at is not null or u.state = 'paused' as gone,
          exists (select 1 from hold h where h.kind = 'run' and h.id = u.id::text) as held,
          coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office'
            and coalesce((c.settings -> 'contactPolicy' ->> 'stopOnReply')::boolean, true) as replied,
          case q.once when 'account' then 'r:' || q."accountId" || ':' || u.person_id else 'm:' || u.person_id || ':' || u.workflow_id || ':' || q."nodeId" end as send_key,
          app.scope_key(c.settings, u.campaign_id, ws, w.agency_id, q."accountId") as scope_key
        from q join run u on u.id = q."runId" and u.workspace_id = ws
          join campaign c on c.id = u.campaign_id join workspace w on w.id = ws join lead l on l.id = u.lead_id
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
          max(g.last_at) filter (where g.workflow_id <> j.workflow_id and (case coalesce(j.settings -> 'contactPolicy' ->> 'dedupeScope', 'workspace')
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
        when r.heavy and r.other_at > p_now - app.policy_days(r.settings, 'recontactAfterDays', 90)::bigint * 86400000 then 'recontact'
        when r.stop is not null then r.stop
        when r.holder is distinct from r."runId" and r.holder is not null and (r.released_at is null or coalesce(r.cool_until, 0) > p_now) then 'claim_held_elsewhere'
        when r.heavy and r.last_at + app.policy_days(r.settings, 'minDaysBetweenTouches', 2)::bigint * 86400000 > p_now then 'duration'
        when r.heavy and r.company_key <> '' and not r.company_known
          and r.company_people + coalesce((companies ->> r.company_key)::int, 0) >= app.policy_days(r.settings, 'maxLeadsPerCompanyPerDay', 3)
          and app.policy_days(r.settings, 'maxLeadsPerCompanyPerDay', 3) > 0 then 'company_limit'
        end;
      whenat := case why
        when 'send_freeze' then r.until when 'account_unhealthy' then r.until
        when 'claim_held_elsewhere' then r.cool_until
        when 'duration' then r.last_at + app.policy_days(r.settings, 'minDaysBetweenTouches', 2)::bigint * 86400000
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
          companies := companies || jsonb_build_object(r.company_key, coalesce((companies ->> r.company_key)::int, 0) + 1);
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

create or replace function app.take_sends(p_workspace text, p_now bigint, p_requests jsonb, p_won uuid[]) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    keyed uuid[];
    taken uuid[];
  begin
    if cardinality(p_won) = 0 then return; end if;
    with q as (
      select q.*, u.person_id, u.workflow_id from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, once text)
        join run u on u.id = q."runId" where q."sendId" = any (p_won)
    ),
    k as (
      insert into send_key (key, person_id, workspace_id, send_id, taken_at)
        select case q.once when 'account' then 'r:' || q."accountId" || ':' || q.person_id else 'm:' || q.person_id || ':' || q.workflow_id || ':' || q."nodeId" end,
          q.person_id, p_workspace, q."sendId", p_now from q order by 1
        on conflict do nothing returning send_id
    )
    select coalesce(array_agg(send_id), '{}') into keyed from k;
    with q as (
      select q."runId", q."sendId", u.person_id, app.scope_key(c.settings, u.campaign_id, p_workspace, w.agency_id, q."accountId") as scope_key
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, "accountId" text)
        join run u on u.id = q."runId" join campaign c on c.id = u.campaign_id join workspace w on w.id = p_workspace where q."sendId" = any (keyed)
    ),
    c as (
      insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
        select q.scope_key, q.person_id, p_workspace, q."runId", p_now from q
        where not exists (select 1 from contact_claim o where o.scope_key = q.scope_key and o.person_id = q.person_id and o.run_id = q."runId" and o.released_at is null)
        order by q.person_id
        on conflict (scope_key, person_id) do update set workspace_id = excluded.workspace_id, run_id = excluded.run_id, released_at = null
          where c.run_id = excluded.run_id or (c.released_at is not null and coalesce(c.cool_until, 0) <= p_now)
        returning c.run_id
    )
    select coalesce(array_agg(q."sendId"), '{}') into taken from q
      where q."runId" in (select c.run_id from c)
         or exists (select 1 from contact_claim o where o.scope_key = q.scope_key and o.person_id = q.person_id and o.run_id = q."runId" and o.released_at is null);
    delete from send_key where send_id = any (keyed) and not send_id = any (taken);
    insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, budgets, send_key, state, epoch, body, target, budget_date, claimed_at)
      select q."sendId", p_workspace, u.workflow_id, u.campaign_id, u.id, q."nodeId", u.lead_id, u.person_id, q."accountId", q.action, q.budgets, k.key, 'claimed', app.claim_epoch(),
        q.body, coalesce(q.target, '{}'), (select b.head_date from account_budget b where b.account_id = q."accountId" and b.action = q.budgets[1]), p_now
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], body text, target jsonb)
        join run u on u.id = q."runId" join send_key k on k.send_id = q."sendId" where q."sendId" = any (taken);
    update account_budget b set used[1] = b.used[1] + x.units, reserved = b.reserved + x.units,
        by_workspace = jsonb_set(b.by_workspace, array[p_workspace], to_jsonb(coalesce((b.by_workspace ->> p_workspace)::int, 0) + x.units))
      from (select s.account_id, u.action, count(*)::int as units from send s cross join lateral unnest(s.budgets) as u (action)
            where s.id = any (taken) group by 1, 2) x
      where b.account_id = x.account_id and b.action = x.action;
    return query
      select q."runId", q."sendId" = any (taken), case when q."sendId" = any (taken) then null when q."sendId" = any (keyed) then 'claim_held_elsewhere' else 'already_sent' end, null::bigint
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid) where q."sendId" = any (p_won);
  end $$;

create or replace function app.dispatch_sends(p_now bigint, p_sends uuid[]) returns table (send_id uuid, dispatched boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    ids uuid[];
    whys text[];
    untils bigint[];
    gone uuid[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- A reply locks the runs of its person first, so it is either seen here or comes after the request.
    perform 1 from run where id in (select s.run_id from send s where s.id = any (p_sends) and s.workspace_id = ws) order by id for no key update;
    perform 1 from send where id = any (p_sends) and workspace_id = ws order by id for update;
    select array_agg(j.id), array_agg(j.why), array_agg(j.until) into ids, whys, untils from (
      with s as (select * from send where id = any (p_sends) and workspace_id = ws),
      stops as (select t.* from (select array_agg(campaign_id) as campaigns, array_agg(workflow_id) as workflows, array_agg(account_id) as accounts
          from (select distinct campaign_id, workflow_id, account_id from s) d) k
        cross join lateral app.stops_of(ws, k.campaigns, k.workflows, k.accounts, p_now) t),
      barred as (select b.lead_id from (select campaign_id, array_agg(lead_id) as leads from s group by 1) g
        cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) b)
      select s.id, t.until, case
        when s.state <> 'claimed' or s.epoch <> app.claim_epoch() or u.ended_at is not null or u.state = 'paused' or u.send_id is distinct from s.id then 'gone'
        when s.lead_id in (select lead_id from barred) then 'suppressed'
        when u.state = 'replied' or (coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office'
          and coalesce((c.settings -> 'contactPolicy' ->> 'stopOnReply')::boolean, true)) then 'replied'
        when t.reason is not null then t.reason
        when exists (select 1 from hold h where h.kind = 'run' and h.id = u.id::text) then 'send_freeze' end as why
      from s join run u on u.id = s.run_id join campaign c on c.id = s.campaign_id
        left join stops t on t.campaign_id = s.campaign_id and t.workflow_id = s.workflow_id and t.account_id = s.account_id) j;
    update send s set state = 'dispatched', dispatched_at = p_now, dispatched_real = clock_timestamp()
      from unnest(ids, whys) as x (id, why) where s.id = x.id and x.why is null;
    select array_agg(s.id) into gone from send s join unnest(ids, whys) as x (id, why) on x.id = s.id and x.why is not null where s.state = 'claimed';
    if gone is not null then
      perform app.cancel_sends(gone, p_now);
      update run set due_at = p_now where send_id = any (gone) and ended_at is null and state not in ('paused', 'replied');
    end if;
    perform app.log_contacts(p_now, (select array_agg(x.id) from unnest(ids, whys) as x (id, why) where x.why is null));
    return query select x.id, x.why is null, x.why, x.until from unnest(ids, whys, untils) as x (id, why, until);
  end $$;

-- What profile look-ups said of relations, for a batch. Which accounts the executor may speak
-- for is asked once for all of them.
-- p_rows: [{accountId, personId, providerId, state}], each pair once.
create function app.note_relations(p_now bigint, p_rows jsonb) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    met record;
    mine text[];
  begin
    select array_agg(x.id) into mine from (
      select l.account_id as id from account_link l where l.workspace_id = (select app.workspace())
        and l.account_id in (select q."accountId" from jsonb_to_recordset(p_rows) as q ("accountId" text))
      union select (select app.account())) x where x.id is not null;
    for met in
      select q.* from jsonb_to_recordset(p_rows) as q ("accountId" text, "personId" uuid, "providerId" text, state text)
      where q.state = 'connected' and q."accountId" = any (mine) order by q."personId"
    loop
      perform app.record_acceptance(p_now, met."accountId", met."personId", met."providerId", p_now);
    end loop;
    insert into relation as r (account_id, person_id, provider_id, state, requested_at)
      select q."accountId", q."personId", q."providerId", q.state, case when q.state = 'pending' then p_now end
      from jsonb_to_recordset(p_rows) as q ("accountId" text, "personId" uuid, "providerId" text, state text)
      where q."accountId" = any (mine) order by 1, 2
      on conflict (account_id, person_id) do update set provider_id = coalesce(excluded.provider_id, r.provider_id),
        state = case when r.state = 'none' then excluded.state else r.state end, requested_at = coalesce(r.requested_at, excluded.requested_at);
  end $$;

do $$
declare f text;
begin
  foreach f in array array['stops_of(text, text[], text[], text[], bigint)', 'open_budgets(text, bigint, text[], text[])', 'note_relations(bigint, jsonb)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;
end $$;
grant execute on function app.note_relations(bigint, jsonb) to outrider_executor;

-- CREATE OR REPLACE drops a function's settings; these are called in transactions whose statements look up by index only.
do $$
declare path text;
begin
  foreach path in array array['hashjoin', 'mergejoin', 'seqscan', 'sort', 'bitmapscan', 'material'] loop
    execute format('alter function app.claim_sends(bigint, jsonb) set enable_%s = on', path);
  end loop;
end $$;

-- What these sets replace, one row at a time, is called by nobody any more.
drop function app.stop_of(text, text, text, text, bigint);
drop function app.open_budget(text, text, text, bigint);
drop function app.note_relation(bigint, text, uuid, text, text);
