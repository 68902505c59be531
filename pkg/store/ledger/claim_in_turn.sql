-- The same as app.claim_sends (parameters, answers, order of checks and of locks) for batches in which one grant decides about another:
-- the last units of a budget, the places of a company, the pace of an account. Goes through the requests one by one, by account and in the
-- order in which they came, which is that of their due times. test/integration/engine/ledger-sets.test.ts compares the two.
create or replace function app.claim_in_turn(p_now bigint, p_requests jsonb) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog set enable_hashjoin = on set enable_mergejoin = on set enable_sort = on set enable_bitmapscan = on
  set enable_material = on set enable_seqscan = off set random_page_cost = 0.5
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    r record;
    open_account text;
    left_units jsonb := '{}';   -- action -> units left
    companies jsonb := '{}';
    act text;
    why text;
    whenat bigint;
    wishes app.send_wish[] := '{}';
    paced text;                 -- account of the two below: when the last that was granted here lets the next of its class act
    heavy_free bigint;
    light_free bigint;
    out_run uuid[] := '{}';
    out_why text[] := '{}';
    out_at bigint[] := '{}';
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    insert into account_pacing (account_id)
      select distinct l.account_id from jsonb_to_recordset(p_requests) as q ("accountId" text) join account_link l on l.account_id = q."accountId"
        and l.workspace_id = ws
      on conflict do nothing;
    perform 1 from account_pacing where account_id in (select l.account_id from jsonb_to_recordset(p_requests) as q ("accountId" text)
        join account_link l on l.account_id = q."accountId" and l.workspace_id = ws) order by account_id for update;
    for r in
      with q as (
        select x.*, row_number() over () as ord from jsonb_to_recordset(p_requests)
          as x ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], once text, body text, target jsonb,
            "notBefore" bigint, "atOnce" boolean)
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
        select q.*, u.workflow_id, u.campaign_id, u.person_id, u.lead_id, c.dedupe_scope, c.recontact_ms, c.touch_ms, c.company_limit, l.company_key,
          c.ws_zone, c.agency_id, a.timezone as zone,
          (a.pacing ->> 'maxGapSeconds')::float8 = 0 as unpaced,
          app.is_heavy(q.action) as heavy,
          u.ended_at is not null or u.state = 'paused' as gone,
          exists (select 1 from hold h where h.kind = 'run' and h.id = u.id::text) as held,
          coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office'
            and c.stop_on_reply as replied,
          case q.once when 'account' then 'r:' || q."accountId" || ':' || u.person_id
            else 'm:' || u.person_id || ':' || u.workflow_id || ':' || q."nodeId" end as send_key,
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
        where s.workspace_id = ws and s.claimed_at >= app.midnight(app.local_date(p_now, (select timezone from workspace where id = ws)),
          (select timezone from workspace where id = ws))
          and app.is_heavy(s.action) and s.state <> 'failed' and l.company_key in (select company_key from j where company_key <> '')
        group by 1
      ),
      opened as (
        select o.account_id, jsonb_object_agg(o.action, jsonb_build_object('left', o.left_units, 'wait', o.wait_days, 'head', o.head)) as budget_rows
        from (select array_agg(d."accountId") as accounts, array_agg(d.action) as actions
              from (select distinct q."accountId", b.action from q cross join lateral unnest(q.budgets) as b (action)) d) k
          cross join lateral app.open_budgets(ws, p_now, k.accounts, k.actions) o
        group by 1
      )
      select j.*, o.budget_rows, exists (select 1 from account_slot h where h.run_id = j."runId" and not h.acted) as slot_id,
        ps.at as promised_at, ps.free_at - ps.at as gap, x.heavy_free_at, x.light_free_at, s.reason as stop, s.until, b.source as suppressed,
          t.last_at, t.other_at, k.key as taken, cc.run_id as holder, cc.released_at, cc.cool_until,
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
        left join account_slot ps on ps.run_id = j."runId" and not ps.acted and ps.account_id = j."accountId" and ps.budgets = j.budgets and ps.at <= p_now
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
        when r.holder is distinct from r."runId" and r.holder is not null and (r.released_at is null or coalesce(r.cool_until, 0) > p_now)
          then 'claim_held_elsewhere'
        when r.heavy and r.last_at + r.touch_ms > p_now then 'duration'
        when r.heavy and r.company_key <> '' and not r.company_known
          and r.company_people + coalesce((companies ->> r.company_key)::int, 0) >= r.company_limit
          and r.company_limit > 0 then 'company_limit'
        when r."notBefore" > p_now then 'business_hours'
        when r.unpaced then null
        -- A promise holds for the minute that was told, unless somebody of its class was late and acted just now.
        when r.promised_at is null or r.promised_at < p_now - 60000 or p_now < greatest(case when r.heavy then r.heavy_free_at else r.light_free_at end,
          case when paced is distinct from r."accountId" then 0 when r.heavy then heavy_free else light_free end) then 'pacing'
        end;
      whenat := case why
        when 'send_freeze' then r.until when 'account_unhealthy' then r.until
        when 'claim_held_elsewhere' then r.cool_until
        when 'duration' then r.last_at + r.touch_ms
        when 'business_hours' then r."notBefore"
        -- The moment that was missed, where one was.
        when 'pacing' then coalesce(r.promised_at, p_now + 60000)
        when 'company_limit' then app.midnight(app.local_date(p_now, r.ws_zone) + 1, r.ws_zone)
        end;
      if why is null then
        if open_account is distinct from r."accountId" then
          open_account := r."accountId";
          left_units := '{}';
        end if;
        foreach act in array r.budgets loop
          if not left_units ? act then
            left_units := left_units || jsonb_build_object(act, coalesce((r.budget_rows -> act ->> 'left')::int, 0));
          end if;
          if (left_units ->> act)::int <= 0 then
            why := 'budget';
            whenat := app.midnight((r.budget_rows -> act ->> 'head')::date + (r.budget_rows -> act ->> 'wait')::int, r.zone);
            exit;
          end if;
        end loop;
      end if;
      if why is null then
        foreach act in array r.budgets loop
          left_units := jsonb_set(left_units, array[act], to_jsonb((left_units ->> act)::int - 1));
        end loop;
        wishes := array_append(wishes, (r.ord, r."runId", r."sendId", r."nodeId", r."accountId", r.action, r.budgets, r.body, r.target, r.workflow_id,
          r.campaign_id,
          r.lead_id, r.person_id, r.send_key, r.scope_key, (r.budget_rows -> r.budgets[1] ->> 'head')::date,
          r.holder is not distinct from r."runId" and r.released_at is null, r.slot_id, coalesce(r."atOnce", false)
            and app.is_harmless(r.action))::app.send_wish);
        if paced is distinct from r."accountId" then
          paced := r."accountId";
          heavy_free := 0;
          light_free := 0;
        end if;
        if r.heavy then heavy_free := p_now + coalesce(r.gap, 0);
        else light_free := p_now + coalesce(r.gap, 0); end if;
        if r.heavy and r.company_key <> '' then
          companies := companies || jsonb_build_object(r.company_key, coalesce((companies ->> r.company_key)::int, 0) + 1);
        end if;
      end if;
      if why is not null then
        out_run := out_run || r."runId";
        out_why := out_why || why;
        out_at := out_at || whenat;
      end if;
    end loop;
    if cardinality(wishes) > 0 then
      return query select * from app.take_wishes(ws, p_now, array(select w from unnest(wishes) w order by w.ord));
    end if;
    return query select u.run_id, false, u.why, u.at from unnest(out_run, out_why, out_at) as u (run_id, why, at);
  end $$;

alter function app.claim_in_turn(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.claim_in_turn(bigint, jsonb) from public;
