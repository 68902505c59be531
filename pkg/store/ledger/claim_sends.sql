-- Claims a batch of effects: for each request the send key, the contact claim, a unit of each budget and the promised moment, or the reason
-- why not. What stands against a request is judged for all of them in one statement; where one grant decides about another, by
-- app.claim_in_turn. `p_now`: epoch ms UTC, product time. `p_requests`: [{runId, sendId, nodeId, accountId, action (enums.budgetAction),
-- budgets: actions that give a unit each, once: node | account, body, target, notBefore: epoch ms, atOnce}] (ClaimRequest in ledger.ts).
-- Returns a row for each run of the claim's workspace: `refusal` null when granted, else gone, send_freeze, suppressed, replied,
-- already_sent, recontact, account_unhealthy, claim_held_elsewhere, duration, company_limit, business_hours, pacing or budget, in this
-- order of checks; `next_at`: epoch ms when it is worth asking again, null when nobody knows. OU001: the claim is stale.
-- The caller has locked the runs; locks account_pacing by account, the companies of people whom it may write to, then account_budget by account and
-- action (catalog: contact policy, sendAttempt, budgets, pacing).
create or replace function app.claim_sends(p_now bigint, p_requests jsonb) returns table (run_id uuid, granted boolean, refusal text, next_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog set enable_hashjoin = on set enable_sort = on set enable_material = on set enable_seqscan = off
  set random_page_cost = 0.5 set enable_memoize = off
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
    -- Of the workspace's own: whoever names another one is refused, and locks nothing of it.
    select array_agg(distinct l.account_id) into accounts from jsonb_to_recordset(p_requests) as q ("accountId" text)
      join account_link l on l.account_id = q."accountId" and l.workspace_id = ws;
    perform 1 from account_pacing where account_id = any (accounts) order by account_id for update;
    -- The two lanes of a workspace meet at a company: whoever comes second counts whom the first one reached. A few locks stand for all
    -- companies, so that large batches do not fill the server's table of locks.
    perform pg_advisory_xact_lock(hashtextextended('company:' || ws || ':' || k.place, 0)) from (
      select distinct abs(hashtext(l.company_key) % 8) as place
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, action text)
        join run u on u.id = q."runId" join lead l on l.id = u.lead_id join campaign c on c.id = u.campaign_id
      where app.is_heavy(q.action) and (u.workspace_id = ws) is true and l.company_key <> '' and app.policy_days(c.settings, 'maxLeadsPerCompanyPerDay', 3) > 0
      order by 1) k;
    with q as materialized (
      select x.*, row_number() over () as ord from jsonb_to_recordset(p_requests)
        as x ("runId" uuid, "sendId" uuid, "nodeId" text, "accountId" text, action text, budgets text[], once text, body text, target jsonb,
          "notBefore" bigint, "atOnce" boolean)
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
      select q.*, u.workflow_id, u.campaign_id, u.person_id, u.lead_id, c.dedupe_scope, c.recontact_ms, c.touch_ms, c.company_limit, l.company_key,
        c.agency_id, a.timezone as zone,
        (a.pacing ->> 'maxGapSeconds')::float8 = 0 as unpaced, app.is_heavy(q.action) as heavy,
        u.ended_at is not null or u.state = 'paused' as gone,
        u.id::text in (select id from held) as held,
        coalesce((u.facts ->> 'replied')::boolean, false) and coalesce(u.facts ->> 'replyClass', '') <> 'out_of_office' and c.stop_on_reply as replied,
        case q.once when 'account' then 'r:' || q."accountId" || ':' || u.person_id
          else 'm:' || u.person_id || ':' || u.workflow_id || ':' || q."nodeId" end as send_key,
        case c.dedupe_scope when 'account' then c.scope_key || q."accountId" else c.scope_key end as scope_key
      from q join u on u.id = q."runId" join policies c on c.id = u.campaign_id
        left join lateral (select n.company_key from lead n where n.id = u.lead_id and app.is_heavy(q.action) limit 1) l on true
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
          when cc.run_id is distinct from j."runId" and cc.run_id is not null and (cc.released_at is null or coalesce(cc.cool_until, 0) > p_now)
            then 'claim_held_elsewhere'
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
      select o.* from (select array_agg(d.account_id) as accounts, array_agg(d.action) as actions
        from (select distinct n.account_id, n.action from needs n) d) k
        cross join lateral app.open_budgets(ws, p_now, k.accounts, k.actions) o
    ),
    units as materialized (
      select n.ord, min(n.pos) filter (where coalesce(o.left_units, 0) <= 0) as lacks,
        bool_or(n.asks and coalesce(o.left_units, 0) < n.demand and coalesce(o.left_units, 0) > 0) as short,
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
        array_agg((g.ord, g."runId", g."sendId", g."nodeId", g."accountId", g.action, g.budgets, g.body, g.target, g.workflow_id, g.campaign_id,
          g.lead_id, g.person_id,
          g.send_key, g.scope_key, g.head, g.holds, g.slot_id, coalesce(g."atOnce", false)
            and app.is_harmless(g.action))::app.send_wish) filter (where g.stands is null and g.lacking is null),
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
      into in_turn, wishes, out_run, out_why, out_at from (select * from judged order by ord) g;
    if in_turn then
      return query select * from app.claim_in_turn(p_now, p_requests);
      return;
    end if;
    if wishes is not null then return query select * from app.take_wishes(ws, p_now, wishes); end if;
    return query select x.run_id, false, x.why, x.at from unnest(out_run, out_why, out_at) as x (run_id, why, at);
  end $$;

alter function app.claim_sends(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.claim_sends(bigint, jsonb) from public;
grant execute on function app.claim_sends(bigint, jsonb) to outrider_executor;
