-- Starts a run in another workflow of the workspace for each of p_requests: [{runId, newRunId, workflowId, facts}],
-- whose runs the caller has locked and ends itself. Contact claim, account and history of contacts go over with the
-- lead, so that what the first workflow sent is neither forgotten nor a reason to refuse the second. Source: catalog,
-- node flow:handoff.
-- `facts` are those of the new run, which also remembers when the first one began (`sequenceFrom`) and the last reply
-- that was heard: a reply that is read later and was written before belongs to it. Returns a row per live run, but
-- for a campaign with stopCompanyOnReply in which a reply is being recorded (ask again): new_run_id, or why not:
-- not_found (no such workflow, or it has no graph), erased, already_enrolled (it is live there, or came from there
-- within a day), suppressed, claimed.
-- OU001: the lease is stale. Locks: with stopCompanyOnReply the campaigns' locks of colleagues (shared, and it does
-- not wait for them; app.record_reply takes them alone), contact claims in order of persons.
create or replace function app.hand_off(p_now bigint, p_requests jsonb)
  returns table (run_id uuid, new_run_id uuid, refusal text)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    ws text := app.workspace();
    r record;
    f record;
    why text;
    wanted text;
    replying text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- As in app.enrol, a reply at this moment stops the new run, or is seen here. It does not wait, since the one
    -- that records the reply may wait for runs that the caller holds.
    select array_agg(k.id) filter (
      where not pg_try_advisory_xact_lock_shared(hashtextextended('colleagues:' || k.id, 0))
    )
    into replying
    from (
      select distinct c.id
      from jsonb_to_recordset(p_requests) as q ("workflowId" text)
      join workflow w on w.id = q."workflowId" and w.workspace_id = ws
      join campaign c on c.id = w.campaign_id
      where app.policy_flag(c.settings, 'stopCompanyOnReply')
      order by 1
    ) k;
    for r in
      select
        q.*,
        u.workflow_id as from_workflow,
        u.campaign_id as from_campaign,
        u.lead_id,
        u.person_id,
        u.account_id,
        jsonb_strip_nulls(
          jsonb_build_object(
            'sequenceFrom', coalesce((u.facts ->> 'sequenceFrom')::bigint, u.started_at),
            'lastReplyAt', case when app.is_answer(u.facts ->> 'replyClass') then u.facts -> 'lastReplyAt' end
          )
        ) as heard
      from jsonb_to_recordset(p_requests) as q ("runId" uuid, "newRunId" uuid, "workflowId" text, facts jsonb)
      join run u on u.id = q."runId" and u.workspace_id = ws and u.ended_at is null
      order by u.person_id, u.id
    loop
      select
        w.id,
        w.campaign_id,
        w.graph_version,
        c.settings,
        s.agency_id,
        app.dedupe_scope(c.settings) as scope
      into f
      from workflow w
      join campaign c on c.id = w.campaign_id
      join workspace s on s.id = w.workspace_id
      where w.id = r."workflowId"
        and w.workspace_id = ws
        and w.deleted_at is null
        and c.deleted_at is null
        and w.graph_version > 0;
      continue when f.campaign_id = any (replying);
      wanted := case
        when f.id is not null then app.scope_key(f.settings, f.campaign_id, ws, f.agency_id, r.account_id)
      end;
      why := case
        when f.id is null then 'not_found'
        when not exists (select 1 from lead l where l.id = r.lead_id and l.erased_at is null) then 'erased'
        when f.id = r.from_workflow
          or exists (
            select 1
            from run o
            where o.workflow_id = f.id and o.lead_id = r.lead_id and o.ended_at is null
          ) then 'already_enrolled'
        when app.came_from(ws, r."runId", f.id, p_now - 86400000) then 'already_enrolled'
        when exists (select 1 from app.suppressed_leads(ws, f.campaign_id, array[r.lead_id], p_now))
          then 'suppressed'
        when f.campaign_id <> r.from_campaign
          and app.policy_flag(f.settings, 'stopCompanyOnReply')
          and exists (
            select 1
            from app.answered_companies(ws, f.campaign_id) a
            join lead l on l.id = r.lead_id and l.company_key = a.company_key and l.id <> a.lead_id
          ) then 'suppressed'
        when exists (
          select 1
          from contact_claim c
          where c.person_id = r.person_id
            and c.released_at is null
            and c.run_id is distinct from r."runId"
            and (c.scope_key = wanted or (f.scope in ('workspace', 'agency') and c.workspace_id = ws))
        ) then 'claimed'
        when exists (
          select 1
          from contact_claim c
          where c.person_id = r.person_id
            and c.scope_key = wanted
            and c.run_id is distinct from r."runId"
            and c.cool_until > p_now
        ) then 'claimed'
        when exists (
          select 1
          from contact_log g
          where g.person_id = r.person_id
            and g.workflow_id not in (r.from_workflow, f.id)
            and g.last_at > p_now - app.policy_days(f.settings, 'recontactAfterDays')::bigint * 86400000
            and (
              g.workspace_id = ws
              or (
                f.scope = 'agency'
                and f.agency_id is not null
                and g.workspace_id in (select a.id from workspace a where a.agency_id = f.agency_id)
              )
            )
        ) then 'claimed'
      end;
      if why is null then
        -- At a scope that both share the claim changes hands; at another one this takes it anew.
        update contact_claim c
        set run_id = r."newRunId", taken_at = p_now
        where c.person_id = r.person_id
          and c.run_id = r."runId"
          and c.scope_key = wanted
          and c.released_at is null;
        if not found and wanted is not null then
          insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
          values (wanted, r.person_id, ws, r."newRunId", p_now)
          on conflict (scope_key, person_id) do update set
            workspace_id = excluded.workspace_id,
            run_id = excluded.run_id,
            taken_at = excluded.taken_at,
            released_at = null
            where c.released_at is not null
              and (c.run_id = r."runId" or coalesce(c.cool_until, 0) <= p_now);
          if not found then why := 'claimed'; end if;
        end if;
      end if;
      if why is null then
        insert into run (
          id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, due_at,
          entered_at, account_id, facts, started_at
        )
        values (
          r."newRunId", ws, f.id, f.campaign_id, r.lead_id, r.person_id, f.graph_version, '', 'queued', p_now,
          p_now, r.account_id, coalesce(r.facts, '{}') || r.heard, p_now
        )
        on conflict do nothing;
        if not found then
          why := 'already_enrolled';
          update contact_claim c
          set run_id = r."runId"
          where c.person_id = r.person_id and c.run_id = r."newRunId";
        end if;
      end if;
      if why is null then
        insert into contact_log as g (
          person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches
        )
        select person_id, ws, f.campaign_id, f.id, account_id, last_at, touches
        from contact_log
        where person_id = r.person_id and workflow_id = r.from_workflow
        on conflict (person_id, workflow_id) do update set
          last_at = greatest(g.last_at, excluded.last_at),
          touches = g.touches + excluded.touches;
        delete from contact_log
        where person_id = r.person_id and workflow_id = r.from_workflow;
        insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
        values (
          ws,
          r."newRunId",
          p_now,
          'run.started',
          null,
          'engine',
          '',
          jsonb_build_object('graphVersion', f.graph_version, 'handedOverBy', r."runId")
        );
      end if;
      run_id := r."runId";
      new_run_id := case when why is null then r."newRunId" end;
      refusal := why;
      return next;
    end loop;
  end $$;

alter function app.hand_off(bigint, jsonb) owner to outrider_definer;
revoke execute on function app.hand_off(bigint, jsonb) from public;
grant execute on function app.hand_off(bigint, jsonb) to outrider_executor;
