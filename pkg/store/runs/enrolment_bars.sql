-- Returns why campaigns of the workspace do not take a lead, for svc_diagnose: it asks the rules of app.enrol without
-- enrolling. One row per draft, active or paused campaign (500 at most, active and newest first); none for a lead
-- that is erased or that the caller may not see.
-- `was_there`: it had a run there. `qualifies`: its score reaches the campaign's scoreMin. `list_id`: an enabled
-- workflow there takes its leads from this list, which has it. `reason`: null when nothing bars it, else the first of
-- answered (no, or what nobody understood, at `contacted_at`), company (a colleague replied), under_way (as another
-- lead of the person: `run_id`), elsewhere (another workspace), contacted (`contacted_at`, null while only a
-- cool-down is known; `until` when that is over). Times: epoch ms, product time. Of other workspaces it tells only
-- times.
create or replace function app.enrolment_bars(p_workspace text, p_lead uuid, p_now bigint)
  returns table (
    campaign_id text, was_there boolean, qualifies boolean, list_id uuid, reason text, until bigint,
    contacted_at bigint, run_id uuid
  )
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with l as materialized (
      select x.id, app.lead_person_of(p_workspace, x.id) as person_id, x.company_key
      from lead x
      where x.id = p_lead
        and x.erased_at is null
        and app.may_use(p_workspace)
        and (x.workspace_id is null or x.workspace_id = p_workspace)
    ),
    c as materialized (
      select
        k.id,
        k.settings,
        w.agency_id,
        app.dedupe_scope(k.settings) as scope,
        app.scope_key(k.settings, k.id, p_workspace, w.agency_id, null) as scope_key,
        app.policy_days(k.settings, 'recontactAfterDays')::bigint * 86400000 as recontact
      from campaign k
      join workspace w on w.id = k.workspace_id
      where k.workspace_id = p_workspace
        and k.deleted_at is null
        and k.state in ('draft', 'active', 'paused')
      order by k.state = 'active' desc, k.created_at desc limit 500
    ),
    -- As app.answered_companies does, for one company in all campaigns at once.
    answered as materialized (
      select distinct r.campaign_id
      from l
      join lead_overlay o on o.workspace_id = p_workspace and o.last_replied_at is not null
      join lead x on x.id = o.lead_id and x.company_key = l.company_key and x.id <> l.id
      join run r on r.workspace_id = p_workspace and r.lead_id = x.id and app.has_replied(r.facts)
      where l.company_key <> ''
        and exists (select 1 from c where app.policy_flag(c.settings, 'stopCompanyOnReply'))
    ),
    -- As app.enrol does: the last answer of the person, where it waits for somebody to decide.
    no as materialized (
      select y.at
      from l
      cross join lateral app.last_answer(p_workspace, l.person_id) y
      where app.waits_for_person(y.class)
    ),
    listed as materialized (
      select distinct f.campaign_id, m.lead_list_id as list_id
      from l
      join lead_list_member m on m.lead_id = l.id and m.workspace_id = p_workspace
      join lead_list t on t.id = m.lead_list_id and t.deleted_at is null
      join workflow f on f.workspace_id = p_workspace and f.enabled and f.deleted_at is null
      join workflow_graph g on g.workflow_id = f.id and g.version = f.graph_version
      cross join jsonb_array_elements(g.graph -> 'nodes') n
      where n ->> 'nodeType' = 'source:lead_list'
        and n -> 'config' ->> 'leadListId' = m.lead_list_id::text
    ),
    claims as materialized (
      select a.*
      from contact_claim a
      where a.person_id = (select l.person_id from l)
    ),
    log as materialized (
      select g.workspace_id, max(g.last_at) as last_at
      from contact_log g
      where g.person_id = (select l.person_id from l)
      group by 1
    )
    select
      c.id,
      exists (
        select 1
        from run r
        where r.workspace_id = p_workspace and r.lead_id = l.id and r.campaign_id = c.id
      ),
      exists (
        select 1
        from lead_score s
        where s.workspace_id = p_workspace
          and s.lead_id = l.id
          and s.campaign_id = c.id
          and s.total >= app.score_min(c.settings)
      ),
      (select i.list_id from listed i where i.campaign_id = c.id limit 1),
      b.reason,
      b.until,
      b.contacted_at,
      b.run_id
    from l
    cross join c
    left join lateral (
      select *
      from (
        select
          0 as place, 'answered' as reason, null::bigint as until, n.at as contacted_at, null::uuid as run_id
        from no n
        union all
        select
          1 as place, 'company' as reason, null::bigint as until, null::bigint as contacted_at,
          null::uuid as run_id
        where app.policy_flag(c.settings, 'stopCompanyOnReply')
          and c.id in (select a.campaign_id from answered a)
        union all
        select
          2,
          case when a.workspace_id = p_workspace then 'under_way' else 'elsewhere' end,
          null,
          null,
          case when a.workspace_id = p_workspace then a.run_id end
        from claims a
        where a.released_at is null
          and (
            a.scope_key = c.scope_key or (c.scope in ('workspace', 'agency') and a.workspace_id = p_workspace)
          )
        union all
        select 3, 'contacted', max(x.until), max(x.at), null
        from (
          select a.cool_until as until, null::bigint as at
          from claims a
          where a.scope_key = c.scope_key and a.cool_until > p_now
          union all
          select g.last_at + c.recontact, g.last_at
          from log g
          where g.last_at > p_now - c.recontact
            and (
              g.workspace_id = p_workspace
              or (
                c.scope = 'agency'
                and c.agency_id is not null
                and g.workspace_id in (select o.id from workspace o where o.agency_id = c.agency_id)
              )
            )
        ) x
        having count(*) > 0
      ) y
      order by y.place limit 1
    ) b on true
  $$;

alter function app.enrolment_bars(text, uuid, bigint) owner to outrider_definer;
revoke execute on function app.enrolment_bars(text, uuid, bigint) from public;
grant execute on function app.enrolment_bars(text, uuid, bigint) to outrider_app;
