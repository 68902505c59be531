-- Judges a batch of requests for sends (ClaimRequest in ledger.ts), each as if it came alone; app.grants_compete says
-- whether one grant decides about another. It takes nothing, but app.judge_units opens the budgets and locks them by
-- account and action; the caller holds the accounts' rows of account_pacing.
-- `refusal`: null when nothing stands against the request, else the first in the order of the checks below;
-- `next_at`: when it is worth asking again. `p_now`: epoch ms UTC, product time. Requests for runs of other
-- workspaces get no row.
-- To step through: begin; set local search_path = outrider, app; select * from judge_sends(…), or any function that
-- it names.
create or replace function app.judge_sends(p_workspace text, p_now bigint, p_requests jsonb)
  returns setof app.judged_send
  language sql volatile
  as $$
    with home as materialized (
      select
        app.midnight(d.today, w.timezone) as today,
        app.midnight(d.today + 1, w.timezone) as tomorrow
      from workspace w
      cross join lateral app.local_date(p_now, w.timezone) as d (today)
      where w.id = p_workspace
    ),
    asked as materialized (select * from app.judge_requests(p_workspace, p_requests)),
    -- What is asked once for the whole batch.
    stops as materialized (
      select s.campaign_id, s.workflow_id, s.account_id, s.reason, s.until
      from (
        select
          array_agg(d.campaign_id) as campaigns,
          array_agg(d.workflow_id) as workflows,
          array_agg(d.account_id) as accounts
        from (select distinct a.campaign_id, a.workflow_id, a.account_id from asked a) d
      ) k
      cross join lateral app.stops_of(p_workspace, k.campaigns, k.workflows, k.accounts, p_now) s
    ),
    barred as materialized (
      select s.lead_id, k.campaign_id
      from (select a.campaign_id, array_agg(a.lead_id) as leads from asked a group by 1) k
      cross join lateral app.suppressed_leads(p_workspace, k.campaign_id, k.leads, p_now) s
    ),
    companies as materialized (
      select v.company_key, v.people, v.persons
      from home h
      cross join (
        select array_agg(distinct a.company_key) as keys
        from asked a
        where a.company_key is not null
      ) k
      cross join lateral app.judge_company(p_workspace, h.today, k.keys) v
    ),
    units as materialized (
      select u.ord, u.left_units, u.units_on, u.budget_date
      from (
        select
          array_agg(a.ord) as ords,
          array_agg(a.account_id) as accounts,
          array_agg(n.action) as actions
        from asked a
        cross join lateral unnest(a.budgets) as n (action)
      ) k
      cross join lateral app.judge_units(p_workspace, p_now, k.ords, k.accounts, k.actions) u
    ),
    known as (
      select
        a.*,
        h.tomorrow,
        s.reason as stop,
        s.until as stop_until,
        b.lead_id is not null as suppressed,
        c.last_at,
        c.other_at,
        c.taken,
        c.holds_claim,
        c.claim_elsewhere,
        c.cool_until,
        p.free_at,
        p.promised,
        p.promised_at,
        p.gap_ms,
        u.left_units,
        u.units_on,
        u.budget_date,
        case
          when a.company_key is not null
            and a.company_limit > 0
            and not coalesce(a.person_id = any (v.persons), false)
            then a.company_limit - coalesce(v.people, 0)
        end as company_room
      from asked a
      cross join home h
      left join stops s
        on s.campaign_id = a.campaign_id and s.workflow_id = a.workflow_id and s.account_id = a.account_id
      left join barred b on b.lead_id = a.lead_id and b.campaign_id = a.campaign_id
      left join companies v on v.company_key = a.company_key
      left join units u on u.ord = a.ord
      cross join lateral app.judge_contact(
        p_workspace, p_now, a.run_id, a.person_id, a.contact, a.workflow_id, a.campaign_id, a.account_id,
        a.dedupe_scope, a.agency_id, a.send_key, a.scope_key
      ) c
      cross join lateral app.judge_promise(p_now, a.run_id, a.account_id, a.contact, a.budgets) p
    )
    select
      k.ord, k.run_id, k.send_id, k.node_id, k.account_id, k.action, k.budgets, k.body, k.target, k.at_once,
      k.workflow_id, k.campaign_id, k.lead_id, k.person_id, k.send_key, k.scope_key, k.budget_date,
      k.holds_claim, k.promised, k.contact, k.company_key, k.company_room, k.tomorrow, k.not_before, k.unpaced,
      k.promised_at, k.gap_ms, k.free_at, k.left_units, k.units_on, k.zone, (r.refusal).why,
      (r.refusal).next_at, (s.refusal).why is not null
    from known k
    -- The rules, in the order of their checks: first what stands whatever becomes of the other requests.
    cross join lateral (
      select coalesce(
        app.refused_if(k.gone, 'gone', null),
        app.refused_if(k.held, 'send_freeze', k.stop_until),
        app.refused_if(k.suppressed, 'suppressed', null),
        app.refused_if(k.replied, 'replied', null),
        app.refused_if(k.taken, 'already_sent', null),
        app.refused_if(k.other_at > p_now - k.recontact_ms, 'recontact', null),
        app.refused_if(k.stop is not null, k.stop, k.stop_until),
        app.refused_if(k.claim_elsewhere, 'claim_held_elsewhere', k.cool_until),
        app.refused_if(
          app.of_another_purpose(k.run_id, k.action, k.person_id, k.account_id, k.campaign_id), 'purpose_lock', null
        ),
        app.refused_if(k.last_at + k.touch_ms > p_now, 'duration', k.last_at + k.touch_ms)
      ) as refusal
      offset 0
    ) s
    cross join lateral (
      select coalesce(
        s.refusal,
        app.judge_room(
          p_now, k.company_room, k.tomorrow, k.not_before, k.unpaced, k.promised_at, k.free_at, k.left_units,
          k.units_on, k.zone
        )
      ) as refusal
      offset 0
    ) r
    order by k.ord
  $$;

grant execute on function app.judge_sends(text, bigint, jsonb) to outrider_definer;
