-- Persons and enrolment: identity by aliases with merging, suppression, contact claims, one live run per lead.
set local search_path = outrider, app, public;

-- Whether the caller may act for this workspace: the server by its scope, an executor by its claim token.
create function app.may_use(p_workspace text) returns boolean
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(p_workspace = any (app.workspaces()), false) or app.is_platform() or coalesce(p_workspace = app.workspace(), false)
  $$;

-- A mail address never stands in the identity tables, only its hash.
create function app.mail_hash(p_mail text) returns text language sql immutable
  as $$ select encode(sha256(convert_to(lower(trim(p_mail)), 'UTF8')), 'hex') $$;

-- Unites two identities; every proof of contact follows, the stricter wins.
create function app.merge_person(p_from uuid, p_into uuid) returns void
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if p_from = p_into then return; end if;
    update person set merged_into = p_into where id = p_from or merged_into = p_from;
    update person_alias set person_id = p_into where person_id = p_from;
    update lead set person_id = p_into where person_id = p_from;
    update run set person_id = p_into where person_id = p_from;
    update send set person_id = p_into where person_id = p_from;
    update suppression set person_id = p_into where person_id = p_from;
    update conversation set person_id = p_into where person_id = p_from;
    insert into send_key (key, person_id, workspace_id, send_id, taken_at)
      select replace(k.key, p_from::text, p_into::text), p_into, k.workspace_id, k.send_id, k.taken_at
      from send_key k where k.person_id = p_from on conflict do nothing;
    insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at, released_at, cool_until)
      select o.scope_key, p_into, o.workspace_id, o.run_id, o.taken_at, o.released_at, o.cool_until
      from contact_claim o where o.person_id = p_from
      on conflict (scope_key, person_id) do update set
        released_at = case when c.released_at is null or excluded.released_at is null then null else greatest(c.released_at, excluded.released_at) end,
        run_id = case when c.released_at is null then c.run_id else excluded.run_id end,
        cool_until = greatest(c.cool_until, excluded.cool_until);
    delete from contact_claim where person_id = p_from;
    insert into contact_log as l (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
      select p_into, o.workspace_id, o.campaign_id, o.workflow_id, o.account_id, o.last_at, o.touches
      from contact_log o where o.person_id = p_from
      on conflict (person_id, workflow_id) do update
        set last_at = greatest(l.last_at, excluded.last_at), touches = l.touches + excluded.touches;
    delete from contact_log where person_id = p_from;
    insert into relation as r (account_id, person_id, provider_id, state, invitation_id, requested_at, connected_at)
      select o.account_id, p_into, o.provider_id, o.state, o.invitation_id, o.requested_at, o.connected_at
      from relation o where o.person_id = p_from
      on conflict (account_id, person_id) do update set
        state = case when 'connected' in (r.state, excluded.state) then 'connected' when 'pending' in (r.state, excluded.state) then 'pending' else 'none' end,
        provider_id = coalesce(r.provider_id, excluded.provider_id), invitation_id = coalesce(r.invitation_id, excluded.invitation_id),
        requested_at = coalesce(r.requested_at, excluded.requested_at), connected_at = coalesce(r.connected_at, excluded.connected_at);
    delete from relation where person_id = p_from;
  end $$;

-- Gives every lead its person: found by profile id or mail hash, several found are merged, none found is made.
create function app.resolve_persons(p_leads uuid[], p_now bigint) returns table (lead_id uuid, person_id uuid)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    l record;
    found_ids uuid[];
    other uuid;
    target uuid;
  begin
    for l in
      select x.id, x.person_id, x.profile_id, case when x.email is not null then app.mail_hash(x.email) end as mail
      from lead x
      where x.id = any (p_leads) and (x.workspace_id is null or app.may_use(x.workspace_id))
        and (x.person_id is null
          or (x.profile_id is not null and not exists (select 1 from person_alias a where a.kind = 'profile' and a.value = x.profile_id and a.person_id = x.person_id))
          or (x.email is not null and not exists (select 1 from person_alias a where a.kind = 'mail' and a.value = app.mail_hash(x.email) and a.person_id = x.person_id)))
      order by x.id
    loop
      if l.profile_id is not null then perform pg_advisory_xact_lock(hashtextextended('person:' || l.profile_id, 0)); end if;
      if l.mail is not null then perform pg_advisory_xact_lock(hashtextextended('person:' || l.mail, 0)); end if;
      select array_agg(distinct i.id order by i.id) into found_ids from (
        select a.person_id as id from person_alias a
          where (a.kind = 'profile' and a.value = l.profile_id) or (a.kind = 'mail' and a.value = l.mail)
        union select l.person_id where l.person_id is not null) i;
      if found_ids is null then
        target := gen_random_uuid();
        insert into person (id, created_at) values (target, p_now);
      else
        target := found_ids[1];
        foreach other in array found_ids[2:] loop perform app.merge_person(other, target); end loop;
      end if;
      if l.profile_id is not null then insert into person_alias values ('profile', l.profile_id, target) on conflict do nothing; end if;
      if l.mail is not null then insert into person_alias values ('mail', l.mail, target) on conflict do nothing; end if;
      update lead set person_id = target where id = l.id;
    end loop;
    return query select x.id, x.person_id from lead x where x.id = any (p_leads) and (x.workspace_id is null or app.may_use(x.workspace_id));
  end $$;

-- Which of these leads must not be contacted, and by which source of suppression (one each).
create function app.suppressed_leads(p_workspace text, p_campaign text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, source text)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with w as (select id, agency_id from workspace where id = p_workspace and app.may_use(p_workspace)),
    l as (
      select x.id, x.person_id, lower(x.email) as mail, split_part(lower(x.email), '@', 2) as mail_domain, x.profile_id, x.company_domain,
             lower(x.full_name) || '|' || x.company_key as name_company, lower(x.title || ' ' || x.headline || ' ' || x.company) as words
      from lead x where x.id = any (p_leads)
    ),
    hit as (
      select l.id, s.id as suppression_id from l join suppression s on s.person_id = l.person_id
      union all select l.id, s.id from l join suppression s on s.kind = 'person' and s.value = l.person_id::text
      union all select l.id, s.id from l join suppression s on s.kind = 'mail' and s.value in (l.mail, app.mail_hash(l.mail))
      union all select l.id, s.id from l join suppression s on s.kind = 'domain' and s.value <> '' and s.value in (l.mail_domain, l.company_domain)
      union all select l.id, s.id from l join suppression s on s.kind = 'profile' and s.value = l.profile_id
      union all select l.id, s.id from l join suppression s on s.kind = 'name_company' and s.value = l.name_company
      union all select l.id, s.id from l join suppression s on s.kind = 'keyword' and s.value <> '' and position(lower(s.value) in l.words) > 0
    )
    select distinct on (hit.id) hit.id, s.source
    from hit join suppression s on s.id = hit.suppression_id cross join w
    where s.applies_to = 'all_outreach' and (s.expires_at is null or s.expires_at > p_now)
      and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id)
        or (s.level = 'workspace' and s.workspace_id = w.id) or (s.level = 'campaign' and s.workspace_id = w.id and s.campaign_id = p_campaign))
    order by hit.id, s.source
  $$;

-- The policy of a campaign with its defaults, as numbers.
create function app.policy_days(p_settings jsonb, p_field text, p_default int) returns int language sql immutable
  as $$ select coalesce((p_settings -> 'contactPolicy' ->> p_field)::int, p_default) $$;

-- Key of the contact claim at the campaign's scope; null where the account is needed and not known yet.
create function app.scope_key(p_settings jsonb, p_campaign text, p_workspace text, p_agency text, p_account text) returns text
  language sql immutable
  as $$
    select case coalesce(p_settings -> 'contactPolicy' ->> 'dedupeScope', 'workspace')
      when 'campaign' then 'campaign:' || p_campaign
      when 'account' then 'account:' || p_account
      when 'agency' then case when p_agency is null then 'workspace:' || p_workspace else 'agency:' || p_agency end
      else 'workspace:' || p_workspace end
  $$;

-- Enrols leads: one live run each, or the reason why not. Takes the contact claim; never raises for a single lead.
create function app.enrol(p_workspace text, p_workflow text, p_now bigint, p_leads uuid[], p_runs uuid[], p_entry text, p_source text)
  returns table (lead_id uuid, run_id uuid, skipped text)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    flow record;
    recontact bigint;
  begin
    if not app.may_use(p_workspace) then return; end if;
    select w.id, w.campaign_id, w.graph_version, c.settings, s.agency_id,
           coalesce(c.settings -> 'contactPolicy' ->> 'dedupeScope', 'workspace') as scope
      into flow
      from workflow w join campaign c on c.id = w.campaign_id join workspace s on s.id = w.workspace_id
      where w.id = p_workflow and w.workspace_id = p_workspace and w.deleted_at is null;
    if not found then return; end if;
    recontact := p_now - app.policy_days(flow.settings, 'recontactAfterDays', 90)::bigint * 86400000;
    perform app.resolve_persons(p_leads, p_now);
    return query
    with asked as (
      select distinct on (u.lead_id) u.lead_id, u.run_id, u.ord from unnest(p_leads, p_runs) with ordinality as u (lead_id, run_id, ord) order by u.lead_id, u.ord
    ),
    known as (
      select a.lead_id, a.run_id, a.ord, l.person_id, l.erased_at is not null or l.id is null as erased,
             row_number() over (partition by l.person_id order by a.ord) as twin,
             app.scope_key(flow.settings, flow.campaign_id, p_workspace, flow.agency_id, null) as scope_key
      from asked a left join lead l on l.id = a.lead_id and (l.workspace_id is null or l.workspace_id = p_workspace)
    ),
    judged as (
      select k.*, case
        when k.erased then 'erased'
        when exists (select 1 from run r where r.workflow_id = p_workflow and r.lead_id = k.lead_id and r.ended_at is null) then 'already_enrolled'
        when x.source is not null then 'suppressed'
        when k.twin > 1 then 'claimed'
        when exists (select 1 from contact_claim c where c.person_id = k.person_id and c.released_at is null and c.run_id is distinct from k.run_id
            and (c.scope_key = k.scope_key or (flow.scope in ('workspace', 'agency') and c.workspace_id = p_workspace))) then 'claimed'
        when exists (select 1 from contact_claim c where c.person_id = k.person_id and c.scope_key = k.scope_key and c.cool_until > p_now) then 'claimed'
        when exists (select 1 from contact_log g where g.person_id = k.person_id and g.last_at > recontact
            and (g.workspace_id = p_workspace or (flow.scope = 'agency' and flow.agency_id is not null
              and g.workspace_id in (select a.id from workspace a where a.agency_id = flow.agency_id)))) then 'claimed'
        end as reason
      from known k left join app.suppressed_leads(p_workspace, flow.campaign_id, p_leads, p_now) x on x.lead_id = k.lead_id
    ),
    claimed as (
      insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
        select j.scope_key, j.person_id, p_workspace, j.run_id, p_now from judged j where j.reason is null and j.scope_key is not null order by j.person_id
        on conflict (scope_key, person_id) do update
          set workspace_id = excluded.workspace_id, run_id = excluded.run_id, taken_at = excluded.taken_at, released_at = null
          where c.released_at is not null and coalesce(c.cool_until, 0) <= p_now
        returning c.run_id
    ),
    started as (
      insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, due_at, entered_at, started_at)
        select j.run_id, p_workspace, p_workflow, flow.campaign_id, j.lead_id, j.person_id, flow.graph_version, coalesce(p_entry, ''), 'queued', p_now, p_now, p_now
        from judged j where j.reason is null and (j.scope_key is null or j.run_id in (select c.run_id from claimed c)) order by j.ord
        on conflict do nothing returning id
    ),
    logged as (
      insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
        select p_workspace, s.id, p_now, 'run.started', nullif(p_entry, ''), p_source, '', jsonb_build_object('graphVersion', flow.graph_version) from started s
    )
    select j.lead_id, case when s.id is not null then j.run_id end, case when s.id is null then coalesce(j.reason, 'claimed') end
    from judged j left join started s on s.id = j.run_id order by j.ord;
    insert into workspace_wake as w (workspace_id, due_at, reason) values (p_workspace, p_now, 'enrolled')
      on conflict (workspace_id) do update set due_at = excluded.due_at, reason = excluded.reason where w.due_at > excluded.due_at;
  end $$;

alter function app.may_use(text) owner to outrider_definer;
alter function app.merge_person(uuid, uuid) owner to outrider_definer;
alter function app.resolve_persons(uuid[], bigint) owner to outrider_definer;
alter function app.suppressed_leads(text, text, uuid[], bigint) owner to outrider_definer;
alter function app.enrol(text, text, bigint, uuid[], uuid[], text, text) owner to outrider_definer;
grant execute on function app.may_use(text), app.mail_hash(text), app.resolve_persons(uuid[], bigint),
  app.suppressed_leads(text, text, uuid[], bigint), app.enrol(text, text, bigint, uuid[], uuid[], text, text),
  app.policy_days(jsonb, text, int), app.scope_key(jsonb, text, text, text, text) to outrider_app, outrider_executor, outrider_definer;
grant execute on function app.merge_person(uuid, uuid) to outrider_definer;
