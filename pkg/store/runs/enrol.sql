-- Enrols leads in a workflow: each gets a live run that is due at once, or the reason why not: erased,
-- already_enrolled (one live run per lead and workflow), suppressed (excluded, or a colleague replied and the
-- campaign leaves the company alone, or the person's last answer was a no or was not understood and nobody has named
-- them since), claimed (another run has the person, or there was contact within
-- recontactAfterDays). It settles who the leads are first and wakes the workspace last, and never raises for a single
-- lead. Of other workspaces of the agency it tells no more than `claimed`. Source: catalog, contact policy.
-- p_leads and p_runs are parallel, p_runs the ids of the runs to be; of a lead that is given twice the first counts.
-- p_entry: node where they start, '' or null: the graph's entry. p_source: actor of `run.started`; `named`: a person
-- triggered these very leads. Returns a row per
-- lead, run_id null where it was skipped; nothing where the workflow is not there or the caller may not use the
-- workspace.
-- Locks: persons (app.resolve_persons), with stopCompanyOnReply the campaign's lock of colleagues (shared;
-- app.record_reply takes it alone), leads in order of their ids, contact claims in order of persons.
create or replace function app.enrol(
  p_workspace text, p_workflow text, p_now bigint, p_leads uuid[], p_runs uuid[], p_entry text, p_source text
)
  returns table (lead_id uuid, run_id uuid, skipped text)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
  #variable_conflict use_column
  declare
    flow record;
    recontact bigint;
    moved uuid[] := '{}';
    moved_runs uuid[] := '{}';
  begin
    if not app.may_use(p_workspace) then return; end if;
    select
      w.id,
      w.campaign_id,
      w.graph_version,
      c.settings,
      s.agency_id,
      app.person_scope(p_workspace) as person_scope,
      app.dedupe_scope(c.settings) as scope,
      app.policy_flag(c.settings, 'stopCompanyOnReply') as stops_company
    into flow
    from workflow w
    join campaign c on c.id = w.campaign_id
    join workspace s on s.id = w.workspace_id
    where w.id = p_workflow and w.workspace_id = p_workspace and w.deleted_at is null;
    if not found then return; end if;
    recontact := p_now - app.policy_days(flow.settings, 'recontactAfterDays')::bigint * 86400000;
    perform app.resolve_persons(p_workspace, p_leads, p_now);
    if flow.stops_company then
      perform pg_advisory_xact_lock_shared(hashtextextended('colleagues:' || flow.campaign_id, 0));
    end if;
    for lead_id, run_id, skipped in
      with asked as (
        select distinct on (u.lead_id) u.lead_id, u.run_id, u.ord
        from unnest(p_leads, p_runs) with ordinality as u (lead_id, run_id, ord)
        order by u.lead_id, u.ord
      ),
      known as (
        select
          a.lead_id,
          a.run_id,
          a.ord,
          p.person_id,
          l.erased_at is not null or l.id is null as erased,
          row_number() over (partition by p.person_id order by a.ord) as twin,
          app.scope_key(flow.settings, flow.campaign_id, p_workspace, flow.agency_id, null) as scope_key
        from asked a
        left join lead l on l.id = a.lead_id and (l.workspace_id is null or l.workspace_id = p_workspace)
        left join lateral (
          select l.person_id
          where l.workspace_id is not null
          union all
          select m.person_id
          from pool_person m
          where l.workspace_id is null and m.lead_id = l.id and m.scope = flow.person_scope
        ) p on true
      ),
      answered as materialized (
        select a.lead_id, a.company_key
        from app.answered_companies(p_workspace, flow.campaign_id) a
        where flow.stops_company
      ),
      colleagues as materialized (
        select distinct l.id
        from unnest(p_leads) u (id)
        join lead l on l.id = u.id
        join answered a on a.company_key = l.company_key and a.lead_id <> l.id
      ),
      -- Who said no, or what nobody understood, is not written to again by itself, however long ago that was.
      refused as materialized (
        select distinct k.lead_id
        from known k
        cross join lateral app.last_answer(p_workspace, k.person_id) x
        where p_source <> 'named' and app.waits_for_person(x.class)
      ),
      judged as (
        select
          k.*,
          case
            when k.erased then 'erased'
            when exists (
              select 1
              from run r
              where r.workflow_id = p_workflow and r.lead_id = k.lead_id and r.ended_at is null
            ) then 'already_enrolled'
            when x.source is not null then 'suppressed'
            when k.lead_id in (select c.id from colleagues c) then 'suppressed'
            when k.lead_id in (select f.lead_id from refused f) then 'suppressed'
            when k.twin > 1 then 'claimed'
            when exists (
              select 1
              from contact_claim c
              where c.person_id = k.person_id
                and (c.released_at is null) is true
                and c.run_id is distinct from k.run_id
                and (
                  c.scope_key = k.scope_key
                  or (flow.scope in ('workspace', 'agency') and c.workspace_id = p_workspace)
                )
            ) then 'claimed'
            when exists (
              select 1
              from contact_claim c
              where c.person_id = k.person_id
                and c.scope_key = k.scope_key
                and c.cool_until > p_now
            ) then 'claimed'
            when exists (
              select 1
              from contact_log g
              where g.person_id = k.person_id
                and g.last_at > recontact
                and (
                  g.workspace_id = p_workspace
                  or (
                    flow.scope = 'agency'
                    and flow.agency_id is not null
                    and g.workspace_id in (select a.id from workspace a where a.agency_id = flow.agency_id)
                  )
                )
            ) then 'claimed'
          end as reason
        from known k
        left join app.suppressed_leads(p_workspace, flow.campaign_id, p_leads, p_now) x on x.lead_id = k.lead_id
      ),
      locked as materialized (
        select l.id
        from judged j
        join lead l
          on l.id = j.lead_id
            and (l.workspace_id is null or l.person_id = j.person_id)
            and l.erased_at is null
        where j.reason is null
        order by l.id for share of l
      ),
      claimed as (
        insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
        select j.scope_key, j.person_id, p_workspace, j.run_id, p_now
        from judged j
        where j.reason is null
          and j.scope_key is not null
          and j.lead_id in (select k.id from locked k)
        order by j.person_id
        on conflict (scope_key, person_id) do update set
          workspace_id = excluded.workspace_id,
          run_id = excluded.run_id,
          taken_at = excluded.taken_at,
          released_at = null
          where c.released_at is not null and coalesce(c.cool_until, 0) <= p_now
        returning c.run_id
      ),
      started as (
        insert into run (
          id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, due_at,
          entered_at, started_at
        )
        select
          j.run_id, p_workspace, p_workflow, flow.campaign_id, j.lead_id, j.person_id, flow.graph_version,
          coalesce(p_entry, ''), 'queued', p_now, p_now, p_now
        from judged j
        where j.reason is null
          and j.lead_id in (select k.id from locked k)
          and (j.scope_key is null or j.run_id in (select c.run_id from claimed c))
        order by j.ord
        on conflict do nothing
        returning id
      ),
      logged as (
        insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
        select
          p_workspace,
          s.id,
          p_now,
          'run.started',
          nullif(p_entry, ''),
          case when p_source = 'named' then 'trigger' else p_source end,
          '',
          jsonb_build_object('graphVersion', flow.graph_version)
        from started s
      )
      select
        j.lead_id,
        j.run_id,
        case
          when s.id is null then coalesce(
            j.reason,
            case when j.lead_id in (select k.id from locked k) then 'claimed' else 'moved' end
          )
        end
      from judged j
      left join started s on s.id = j.run_id
      order by j.ord
    loop
      if skipped = 'moved' then
        moved := moved || lead_id;
        moved_runs := moved_runs || run_id;
      else
        if skipped is not null then run_id := null; end if;
        return next;
      end if;
    end loop;
    -- It judges them again as who they are now.
    if cardinality(moved) > 0 then
      return query
        select *
        from app.enrol(p_workspace, p_workflow, p_now, moved, moved_runs, p_entry, p_source);
    end if;
    insert into workspace_wake as w (workspace_id, due_at, reason)
    values (p_workspace, p_now, 'enrolled')
    on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason
      where w.due_at > excluded.due_at;
  end $$;

alter function app.enrol(text, text, bigint, uuid[], uuid[], text, text) owner to outrider_definer;
revoke execute on function app.enrol(text, text, bigint, uuid[], uuid[], text, text) from public;
grant execute on function app.enrol(text, text, bigint, uuid[], uuid[], text, text) to outrider_app, outrider_executor;
