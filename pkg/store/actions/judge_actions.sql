-- Judges requests for sends of actions, as app.judge_sends does those of runs: key, exclusions, stops, pace and
-- budgets. The rules that keep workflows apart (contact claim, days between touches, replies) do not bind what a person
-- asked for by hand. `p_requests` as in app.claim_actions, which calls it and holds the accounts' rows of
-- account_pacing; it opens the budgets and locks them.
create or replace function app.judge_actions(p_workspace text, p_now bigint, p_requests jsonb)
  returns setof app.judged_send
  language sql volatile
  as $$
    with asked as materialized (
      select
        row_number() over (order by a.created_at, a.id) as ord,
        a.*,
        q."sendId" as asked_id,
        q.target as told,
        q."notBefore" as not_before,
        app.is_contact(a.action) as contact
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "sendId" uuid, target jsonb, "notBefore" bigint)
      join action a on a.id = q."runId"
      where (a.workspace_id = p_workspace) is true
    ),
    stops as materialized (
      select s.campaign_id, s.account_id, s.reason, s.until
      from (
        select
          array_agg(d.campaign_id) as campaigns,
          array_agg(''::text) as workflows,
          array_agg(d.account_id) as accounts
        from (select distinct coalesce(a.campaign_id, '') as campaign_id, a.account_id from asked a) d
      ) k
      cross join lateral app.stops_of(p_workspace, k.campaigns, k.workflows, k.accounts, p_now) s
    ),
    barred as materialized (
      select s.lead_id, k.campaign_id
      from (select a.campaign_id, array_agg(a.lead_id) as leads from asked a group by 1) k
      cross join lateral app.suppressed_leads(p_workspace, k.campaign_id, k.leads, p_now) s
    ),
    frozen as materialized (
      select f.account_id, f.until
      from app.content_stop(
        p_workspace, array(select distinct a.account_id from asked a where a.content_post_id is not null), p_now
      ) f
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
        coalesce(s.reason, case when f.account_id is not null then 'send_freeze' end) as stop,
        coalesce(s.until, f.until) as stop_until,
        b.lead_id is not null and not app.is_even_excluded(a.action) as suppressed,
        app.is_key_spent(a.once_key, a.account_id, a.person_id, null) as taken,
        p.free_at,
        p.promised,
        p.promised_at,
        p.gap_ms,
        u.left_units,
        u.units_on,
        u.budget_date,
        n.timezone as zone,
        a.urgent or (n.pacing ->> 'maxGapSeconds')::float8 = 0 as unpaced
      from asked a
      left join stops s on s.campaign_id = coalesce(a.campaign_id, '') and s.account_id = a.account_id
      left join frozen f on f.account_id = a.account_id and a.content_post_id is not null
      left join barred b on b.lead_id = a.lead_id and b.campaign_id is not distinct from a.campaign_id
      left join units u on u.ord = a.ord
      left join network_account n on n.id = a.account_id
      cross join lateral app.judge_promise(p_now, a.id, a.account_id, a.contact, a.budgets) p
    )
    select
      k.ord, k.id, k.asked_id, null::text, k.account_id, k.action, k.budgets, k.body, k.told, false, null::text,
      k.campaign_id, k.lead_id, k.person_id, k.once_key, null::text, k.budget_date, true, k.promised, k.contact,
      null::text, null::int, null::bigint, k.not_before, k.unpaced, k.promised_at, k.gap_ms, k.free_at, k.left_units,
      k.units_on, k.zone, (r.refusal).why, (r.refusal).next_at, (s.refusal).why is not null
    from known k
    cross join lateral (
      select coalesce(
        app.refused_if(k.ended_at is not null, 'gone', null),
        app.refused_if(k.suppressed, 'suppressed', null),
        app.refused_if(k.taken, 'already_sent', null),
        app.refused_if(k.stop is not null, k.stop, k.stop_until)
      ) as refusal
      offset 0
    ) s
    cross join lateral (
      select coalesce(
        s.refusal,
        app.judge_room(
          p_now, null, null, k.not_before, k.unpaced, k.promised_at, k.free_at, k.left_units, k.units_on, k.zone
        )
      ) as refusal
      offset 0
    ) r
    order by k.ord
  $$;

grant execute on function app.judge_actions(text, bigint, jsonb) to outrider_definer;
