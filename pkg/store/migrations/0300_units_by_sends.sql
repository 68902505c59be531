-- Units of sends that are not settled are counted when somebody asks: writing them cost each settlement a row of every account.
-- And no statement of a batch reads all accounts of the platform: rows of accounts are found by their ids.
set local search_path = outrider, app, public;

-- When work of the claim's workspace is due next.
create function app.own_next_due() returns bigint
  language sql volatile security definer set search_path = outrider, app, pg_catalog
  as $$ select app.next_due(app.workspace()) $$;

-- Units of the account whose send is not settled yet, of the two days that may be today where the account is.
create function app.open_units(p_account text, p_now bigint) returns table (action text, day date, units int)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select a.action, s.budget_date, count(*)::int from send s cross join lateral unnest(s.budgets) as a (action)
    where s.account_id = p_account and s.claimed_at > p_now - 2 * 86400000::bigint and s.settled_at is null and app.may_use_account(p_account)
    group by 1, 2
  $$;

-- As before, without the column; each account's row is found by its key.
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
        -- One row at a time: the table has those of all accounts of the platform.
        left join lateral (select true as there from account_budget b where b.account_id = k.account_id and b.action = k.action limit 1) h on true
      where h.there is null
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

create or replace function app.take_wishes(p_workspace text, p_now bigint, p_wishes app.send_wish[]) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    keyed uuid[];
    taken uuid[];
    kept app.send_wish[] := p_wishes;
    own_epoch bigint := app.claim_epoch();
  begin
    with k as (
      insert into send_key (key, person_id, workspace_id, send_id, taken_at)
        select w.send_key, w.person_id, p_workspace, w.send_id, p_now from unnest(p_wishes) w order by w.send_key, w.ord
        on conflict do nothing returning send_id
    )
    select coalesce(array_agg(send_id), '{}') into keyed from k;
    taken := keyed;
    if cardinality(keyed) < cardinality(p_wishes) then
      select array_agg(w order by w.ord) into kept from unnest(p_wishes) w where w.send_id in (select unnest(keyed));
    end if;
    if exists (select 1 from unnest(p_wishes) w where not w.holds) then
      with q as materialized (select w.* from unnest(kept) w),
      c as (
        insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
          select distinct on (q.person_id, q.scope_key) q.scope_key, q.person_id, p_workspace, q.run_id, p_now from q where not q.holds
          order by q.person_id, q.scope_key, q.run_id
          on conflict (scope_key, person_id) do update set workspace_id = excluded.workspace_id, run_id = excluded.run_id, released_at = null
            where c.run_id = excluded.run_id or (c.released_at is not null and coalesce(c.cool_until, 0) <= p_now)
          returning c.run_id
      )
      select coalesce(array_agg(q.send_id), '{}') into taken from q where q.holds or q.run_id in (select c.run_id from c);
      if cardinality(taken) < cardinality(keyed) then
        delete from send_key where send_id = any (keyed) and not send_id = any (taken);
        select array_agg(w order by w.ord) into kept from unnest(kept) w where w.send_id in (select unnest(taken));
      end if;
    end if;
    insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, budgets, send_key, state, epoch, body, target, budget_date, claimed_at)
      select w.send_id, p_workspace, w.workflow_id, w.campaign_id, w.run_id, w.node_id, w.lead_id, w.person_id, w.account_id, w.action, w.budgets, w.send_key, 'claimed', own_epoch,
        w.body, coalesce(w.target, '{}'), w.budget_date, p_now from unnest(kept) w;
    update account_budget b set used[1] = b.used[1] + x.units,
        by_workspace = jsonb_set(b.by_workspace, array[p_workspace], to_jsonb(coalesce((b.by_workspace ->> p_workspace)::int, 0) + x.units))
      from (select w.account_id, u.action, count(*)::int as units from unnest(kept) w cross join lateral unnest(w.budgets) as u (action) group by 1, 2) x
      where b.account_id = x.account_id and b.action = x.action;
    if exists (select 1 from unnest(p_wishes) w where w.slot_id) then
      with done as (
        -- A few seconds do not move the rest of the day.
        update account_slot s set acted = true, at = case when s.at < p_now - 5000 then p_now else s.at end,
            free_at = case when s.at < p_now - 5000 then s.free_at - s.at + p_now else s.free_at end
          from unnest(p_wishes) w where s.run_id = w.run_id and not s.acted returning s.account_id, s.heavy, s.free_at
      )
      update account_pacing x set heavy_free_at = greatest(x.heavy_free_at, d.heavy_at), light_free_at = greatest(x.light_free_at, d.light_at)
        from (select account_id, coalesce(max(free_at) filter (where heavy), 0) as heavy_at, coalesce(max(free_at) filter (where not heavy), 0) as light_at from done group by 1) d
        where x.account_id = d.account_id;
    end if;
    if cardinality(taken) = cardinality(p_wishes) then
      return query select w.run_id, true, null::text, null::bigint from unnest(p_wishes) w;
      return;
    end if;
    return query
      select w.run_id, t.send_id is not null, case when t.send_id is not null then null when k.send_id is not null then 'claim_held_elsewhere' else 'already_sent' end, null::bigint
      from unnest(p_wishes) w left join unnest(keyed) as k (send_id) on k.send_id = w.send_id left join unnest(taken) as t (send_id) on t.send_id = w.send_id;
  end $$;

create or replace function app.claim_sends(p_now bigint, p_requests jsonb) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    home_zone text;
    today bigint;
    wishes app.send_wish[];
    out_run uuid[];
    out_why text[];
    out_at bigint[];
    in_turn boolean;
    accounts text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select w.timezone, app.midnight(app.local_date(p_now, w.timezone), w.timezone) into home_zone, today from workspace w where w.id = ws;
    select array_agg(distinct q."accountId") into accounts from jsonb_to_recordset(p_requests) as q ("accountId" text);
    perform 1 from account_pacing where account_id = any (accounts) order by account_id for update;
    with q as materialized (
      select x.*, row_number() over () as ord from jsonb_to_recordset(p_requests)
        as x ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], once text, body text, target jsonb, "notBefore" bigint)
    ),
    u as materialized (
      select u.id, u.workflow_id, u.campaign_id, u.person_id, u.lead_id, u.state, u.ended_at, u.facts
      from (select distinct q."runId" as id from q) k join run u on u.id = k.id where (u.workspace_id = ws) is true
    ),
    policies as materialized (
      select c.id, coalesce(c.settings -> 'contactPolicy' ->> 'dedupeScope', 'workspace') as dedupe_scope,
        coalesce((c.settings -> 'contactPolicy' ->> 'stopOnReply')::boolean, true) as stop_on_reply,
        app.policy_days(c.settings, 'recontactAfterDays', 90)::bigint * 86400000 as recontact_ms,
        app.policy_days(c.settings, 'minDaysBetweenTouches', 2)::bigint * 86400000 as touch_ms,
        app.policy_days(c.settings, 'maxLeadsPerCompanyPerDay', 3) as company_limit,
        app.scope_key(c.settings, c.id, ws, w.agency_id, '') as scope_key, w.agency_id
      from (select distinct u.campaign_id from u) k join campaign c on c.id = k.campaign_id cross join workspace w where w.id = ws
    ),
    held as materialized (select h.id from hold h where h.kind = 'run'),
    j as materialized (
      select q.*, u.workflow_id, u.campaign_id, u.person_id, u.lead_id, c.dedupe_scope, c.recontact_ms, c.touch_ms, c.company_limit, l.company_key, c.agency_id, a.timezone as zone,
        (a.pacing ->> 'maxGapSeconds')::float8 = 0 as unpaced, app.is_heavy(q.action) as heavy,
        u.ended_at is not null or u.state = 'paused' as gone,
        u.id::text in (select id from held) as held,
        coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office' and c.stop_on_reply as replied,
        case q.once when 'account' then 'r:' || q."accountId" || ':' || u.person_id else 'm:' || u.person_id || ':' || u.workflow_id || ':' || q."nodeId" end as send_key,
        case c.dedupe_scope when 'account' then c.scope_key || q."accountId" else c.scope_key end as scope_key
      from q join u on u.id = q."runId" join policies c on c.id = u.campaign_id join lead l on l.id = u.lead_id
        left join lateral (select n.timezone, n.pacing from network_account n where n.id = q."accountId" limit 1) a on true
    ),
    stops as materialized (
      select t.campaign_id, t.workflow_id, t.account_id as "accountId", t.reason, t.until
      from (select array_agg(campaign_id) as campaigns, array_agg(workflow_id) as workflows, array_agg("accountId") as accounts
            from (select distinct campaign_id, workflow_id, "accountId" from j) d) k
        cross join lateral app.stops_of(ws, k.campaigns, k.workflows, k.accounts, p_now) t
    ),
    barred as materialized (
      select s.lead_id, s.source from (select campaign_id, array_agg(lead_id) as leads from j group by 1) g
        cross join lateral app.suppressed_leads(ws, g.campaign_id, g.leads, p_now) s
    ),
    companies as materialized (select distinct j.company_key from j where j.heavy and j.company_key <> ''),
    visited as materialized (
      select l.company_key, count(distinct s.person_id)::int as people, array_agg(distinct s.person_id) as persons
      from send s join lead l on l.id = s.lead_id
      where exists (select 1 from companies) and s.workspace_id = ws and s.claimed_at >= today and app.is_heavy(s.action) and s.state <> 'failed'
        and l.company_key in (select company_key from companies)
      group by 1
    ),
    -- What stands against a request whatever becomes of the others.
    first as materialized (
      select j.*, t.last_at, s.until, cc.cool_until, ps.run_id is not null as slot_id, coalesce(d.people, 0) as people,
        coalesce(j.person_id = any (d.persons), false) as company_known, cc.run_id is not distinct from j."runId" and cc.released_at is null as holds,
        case when j.heavy then x.heavy_free_at else x.light_free_at end as free_at,
        case when ps.account_id = j."accountId" and ps.budgets = j.budgets and ps.at <= p_now then ps.at end as promised_at,
        case
          when j.gone then 'gone'
          when j.held then 'send_freeze'
          when b.lead_id is not null then 'suppressed'
          when j.replied then 'replied'
          when k.key is not null then 'already_sent'
          when j.heavy and t.other_at > p_now - j.recontact_ms then 'recontact'
          when s.reason is not null then s.reason
          when cc.run_id is distinct from j."runId" and cc.run_id is not null and (cc.released_at is null or coalesce(cc.cool_until, 0) > p_now) then 'claim_held_elsewhere'
          when j.heavy and t.last_at + j.touch_ms > p_now then 'duration'
          when j.heavy and j.company_key <> '' and j.company_limit > 0 and not coalesce(j.person_id = any (d.persons), false)
            and coalesce(d.people, 0) >= j.company_limit then 'company_limit'
        end as why
      from j
        left join stops s on s.campaign_id = j.campaign_id and s.workflow_id = j.workflow_id and s."accountId" = j."accountId"
        left join barred b on b.lead_id = j.lead_id
        left join visited d on d.company_key = j.company_key
        -- By index for each request, whatever the planner guesses of these tables.
        left join lateral (
          select max(g.last_at) filter (where g.workspace_id = ws) as last_at,
            max(g.last_at) filter (where g.workflow_id <> j.workflow_id and (case j.dedupe_scope
              when 'campaign' then g.campaign_id = j.campaign_id when 'account' then g.account_id = j."accountId"
              when 'agency' then g.workspace_id = ws or g.workspace_id in (select a.id from workspace a where a.agency_id = j.agency_id)
              else g.workspace_id = ws end)) as other_at
          from contact_log g where g.person_id = j.person_id and j.heavy) t on true
        left join lateral (select k.key from send_key k where k.key = j.send_key limit 1) k on true
        left join lateral (select c.* from contact_claim c where c.scope_key = j.scope_key and c.person_id = j.person_id limit 1) cc on true
        left join lateral (select p.* from account_pacing p where p.account_id = j."accountId" limit 1) x on true
        left join lateral (select a.* from account_slot a where a.run_id = j."runId" and not a.acted limit 1) ps on true
    ),
    paced as materialized (
      select f.*, coalesce(f.why, case
          when f."notBefore" > p_now then 'business_hours'
          when f.unpaced then null
          -- A promise holds for the minute that was told, unless somebody of its class was late and acted just now.
          when f.promised_at is null or f.promised_at < p_now - 60000 or p_now < f.free_at then 'pacing' end) as stands
      from first f
    ),
    needs as materialized (
      select p.ord, p."accountId" as account_id, n.action, n.pos, p.stands is null as asks,
        count(*) filter (where p.stands is null) over (partition by p."accountId", n.action) as demand
      from paced p cross join lateral unnest(p.budgets) with ordinality as n (action, pos)
    ),
    opened as materialized (
      select o.* from (select array_agg(d.account_id) as accounts, array_agg(d.action) as actions from (select distinct n.account_id, n.action from needs n) d) k
        cross join lateral app.open_budgets(ws, p_now, k.accounts, k.actions) o
    ),
    units as materialized (
      select n.ord, min(n.pos) filter (where coalesce(o.left_units, 0) <= 0) as lacks, bool_or(n.asks and coalesce(o.left_units, 0) < n.demand and coalesce(o.left_units, 0) > 0) as short,
        min(o.head) filter (where n.pos = 1) as head
      from needs n left join opened o on o.account_id = n.account_id and o.action = n.action group by 1
    ),
    judged as (
      select p.*, u.head, case when p.stands is null and u.lacks is not null then p.budgets[u.lacks] end as lacking,
        p.stands is null and (u.short
            or not coalesce(p.unpaced, false) and count(*) filter (where p.stands is null) over (partition by p."accountId", p.heavy) > 1)
          -- The company comes before hours and pace.
          or p.why is null and p.heavy and p.company_key <> '' and p.company_limit > 0 and not p.company_known
            and p.people + count(*) filter (where p.stands is null and p.heavy) over (partition by p.company_key)
              - case when p.stands is null then 1 else 0 end >= p.company_limit as depends
      from paced p left join units u on u.ord = p.ord
    )
    select coalesce(bool_or(g.depends), false),
        array_agg((g.ord, g."runId", g."sendId", g."nodeId", g."accountId", g.action, g.budgets, g.body, g.target, g.workflow_id, g.campaign_id, g.lead_id, g.person_id,
          g.send_key, g.scope_key, g.head, g.holds, g.slot_id)::app.send_wish) filter (where g.stands is null and g.lacking is null),
        array_agg(g."runId") filter (where g.stands is not null or g.lacking is not null),
        array_agg(coalesce(g.stands, 'budget')) filter (where g.stands is not null or g.lacking is not null),
        array_agg(case coalesce(g.stands, 'budget')
          when 'send_freeze' then g.until when 'account_unhealthy' then g.until
          when 'claim_held_elsewhere' then g.cool_until
          when 'duration' then g.last_at + g.touch_ms
          when 'business_hours' then g."notBefore"
          -- The moment that was missed, where one was.
          when 'pacing' then coalesce(g.promised_at, p_now + 60000)
          when 'company_limit' then app.midnight(app.local_date(p_now, home_zone) + 1, home_zone)
          when 'budget' then (select app.midnight(o.head + o.wait_days, g.zone) from opened o where o.account_id = g."accountId" and o.action = g.lacking)
          end) filter (where g.stands is not null or g.lacking is not null)
      into in_turn, wishes, out_run, out_why, out_at from judged g;
    if in_turn then
      return query select * from app.claim_in_turn(p_now, p_requests);
      return;
    end if;
    if wishes is not null then return query select * from app.take_wishes(ws, p_now, wishes); end if;
    return query select x.run_id, false, x.why, x.at from unnest(out_run, out_why, out_at) as x (run_id, why, at);
  end $$;

-- As before, without the column.
create or replace function app.settle_sends(p_now bigint, p_results jsonb) returns table (send_id uuid, run_id uuid, state text)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    failed uuid[];
    withdrawn uuid[];
    ids uuid[];
    runs uuid[];
    states text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    perform 1 from run where id in (select s.run_id from jsonb_to_recordset(p_results) as q ("sendId" uuid) join send s on s.id = q."sendId" where (s.workspace_id = ws) is true)
      order by id for no key update;
    -- What failed gives back first: it locks the accounts before their budgets, as everybody does.
    if p_results @? '$[*] ? (@.result == "failed")' then
      select array_agg(x.id) into failed from (
        select s.id from jsonb_to_recordset(p_results) as q ("sendId" uuid, result text) join send s on s.id = q."sendId"
        where q.result = 'failed' and (s.workspace_id = ws) is true and s.state in ('claimed', 'dispatched', 'unknown')
          and s.dead_letter_state is distinct from 'discarded' order by s.id for update of s) x;
      if failed is not null then
        perform 1 from account_pacing where account_id in (
          select s.account_id from jsonb_to_recordset(p_results) as q ("sendId" uuid) join send s on s.id = q."sendId" where (s.workspace_id = ws) is true) order by account_id for update;
        perform app.undo_contacts(failed);
      end if;
    end if;
    -- Conditions that no index serves, so that the sends are found by their ids whatever the planner guesses of their states.
    with u as (
      update send s set
          state = q.result, outcome = coalesce(q.outcome, s.outcome), error = coalesce(q.error, s.error), provider_ref = coalesce(q.ref, s.provider_ref),
          target = s.target || coalesce(q.target, '{}'), maybe = s.maybe or coalesce(q.maybe, false),
          settled_at = case when q.result = 'unknown' then s.settled_at else p_now end,
          lookup_after = case when q.result = 'unknown' then clock_timestamp() + make_interval(secs => coalesce(q."lookupAfterMs", 0) / 1000.0) end,
          evidence = s.evidence || coalesce(q.evidence, '[]')
        from jsonb_to_recordset(p_results)
          as q ("sendId" uuid, result text, outcome text, ref text, error text, evidence jsonb, "lookupAfterMs" float8, maybe boolean, target jsonb, "retryAt" bigint)
        where s.id = q."sendId" and (s.workspace_id = ws) is true and q.result in ('confirmed', 'failed', 'unknown')
          and (s.state in ('dispatched', 'unknown') or (s.state = 'claimed' and q.result = 'failed')) is true
          and s.dead_letter_state is distinct from 'discarded'
        returning s.id, s.run_id, s.state, s.maybe, s.action, s.account_id, s.person_id, s.claimed_at, s.provider_ref, s.target ->> 'providerId' as provider_id, q."retryAt"
    ),
    -- As app.keep_relations; what a relation says already is not written again.
    known as (
      insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at)
        select distinct on (u.account_id, u.person_id) u.account_id, u.person_id, u.provider_id,
          case u.action when 'connection_request' then 'pending' else 'none' end,
          case u.action when 'connection_request' then u.provider_ref end, case u.action when 'connection_request' then p_now end
        from u where u.state = 'confirmed' and u.action <> 'withdraw_request'
          and (u.action = 'connection_request' or not exists (select 1 from relation o where o.account_id = u.account_id and o.person_id = u.person_id
            and (u.provider_id is null or o.provider_id = u.provider_id)))
        order by u.account_id, u.person_id, u.claimed_at desc
        on conflict (account_id, person_id) do update set
          provider_id = coalesce(excluded.provider_id, r.provider_id),
          state = case when excluded.state = 'pending' and r.state = 'none' then 'pending' else r.state end,
          invitation_id = coalesce(excluded.invitation_id, r.invitation_id), requested_at = coalesce(excluded.requested_at, r.requested_at)
    ),
    told as (
      update run r set
          wait_reason = case when u.state = 'unknown' and not u.maybe then 'unknown_outcome' else r.wait_reason end,
          due_at = case when u.state = 'unknown' and not u.maybe then p_now + 3600000 else coalesce(u."retryAt", p_now) end
        from u where r.id = u.run_id and r.send_id = u.id and r.ended_at is null and r.state <> 'paused'
    )
    select array_agg(u.id), array_agg(u.run_id), array_agg(u.state), array_agg(u.id) filter (where u.state = 'confirmed' and u.action = 'withdraw_request')
      into ids, runs, states, withdrawn from u;
    if withdrawn is not null then perform app.keep_relations(p_now, withdrawn); end if;
    return query select x.id, x.run_id, x.state from unnest(ids, runs, states) as x (id, run_id, state);
  end $$;

-- Where only the column goes.
do $$
declare
  f regprocedure;
  before text;
  after text;
begin
  foreach f in array array['app.take_sends(text, bigint, jsonb, uuid[])', 'app.return_sends(uuid[])', 'app.count_by_hand(bigint, text, jsonb)']::regprocedure[] loop
    before := pg_get_functiondef(f);
    after := regexp_replace(before, ',\s+reserved = (b\.reserved \+ x\.units|greatest\(0, b\.reserved - case .*? end\)|case when today > b\.head_date then 0 else b\.reserved end)', '');
    if after = before or after ~ 'reserved' then raise exception '% does not read as expected', f; end if;
    execute after;
  end loop;
end $$;
alter table outrider.account_budget drop column reserved;

alter function app.own_next_due() owner to outrider_definer;
alter function app.open_units(text, bigint) owner to outrider_definer;
revoke execute on function app.own_next_due(), app.open_units(text, bigint) from public;
grant execute on function app.own_next_due() to outrider_executor;
grant execute on function app.open_units(text, bigint) to outrider_app;

-- CREATE OR REPLACE drops a function's settings.
do $$
declare
  f text;
  path text;
begin
  foreach f in array array['settle_sends(bigint, jsonb)', 'open_budgets(text, bigint, text[], text[])', 'take_wishes(text, bigint, app.send_wish[])'] loop
    foreach path in array array['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'] loop
      execute format('alter function app.%s set enable_%s = off', f, path);
    end loop;
    foreach path in array array['sort', 'material'] loop
      execute format('alter function app.%s set enable_%s = on', f, path);
    end loop;
  end loop;
  foreach path in array array['hashjoin', 'sort', 'material'] loop
    execute format('alter function app.claim_sends(bigint, jsonb) set enable_%s = on', path);
  end loop;
  alter function app.claim_sends(bigint, jsonb) set enable_seqscan = off;
  alter function app.claim_sends(bigint, jsonb) set random_page_cost = 0.5;
end $$;
