-- Gives every lead its person in the agency (else the workspace) that asks: the one found by profile id or mail hash;
-- several found are one (app.unite_persons), but never two with different profiles: the one with the lead's
-- own profile is the lead; and where none is found it makes one (app.settle_strangers those of many at once). Two
-- callers at once for one identity come one after the other.
-- p_workspace: for whom leads of the pool are settled; null: they are passed over. p_leads: leads of the caller's
-- workspaces or of the pool; others are passed over. p_now: epoch ms UTC, product time. Returns the person of each
-- lead. Locks: the identities of those that are not settled (app.lock_identities), then per lead, in the order of ids,
-- the lead, the person.
create or replace function app.resolve_persons(p_workspace text, p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, person_id uuid)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    l record;
    candidate uuid;
    chosen uuid;
    unsettled uuid[];
  begin
    if p_workspace is not null and not app.may_use(p_workspace) then return; end if;
    with homes as materialized (
      select d.id, app.person_scope(d.id) as scope
      from (
        select distinct coalesce(x.workspace_id, p_workspace) as id
        from lead x
        where x.id = any (p_leads)
      ) d
      where app.may_use(d.id)
    ),
    mine as materialized (
      select
        x.id,
        x.workspace_id,
        h.scope,
        x.profile_id,
        app.person_mails(x.email, x.profile_id) as mails,
        case when x.workspace_id is null then m.person_id else x.person_id end as person
      from lead x
      join homes h on h.id = coalesce(x.workspace_id, p_workspace)
      left join pool_person m on m.lead_id = x.id and m.scope = h.scope and x.workspace_id is null
      where x.id = any (p_leads)
    )
    select array_agg(k.id)
    into unsettled
    from mine k
    where k.person is null
      or not exists (select 1 from person p where p.id = k.person and p.scope = k.scope)
      or k.profile_id is not null
        and not exists (
          select 1
          from person_alias a
          where a.scope = k.scope
            and a.kind = 'profile'
            and a.value = k.profile_id
            and a.person_id = k.person
        )
      or cardinality(k.mails) > (
        select count(*)
        from person_alias a
        where a.kind = 'mail' and a.value = any (k.mails) and a.scope = k.scope and a.person_id = k.person
      );
    if unsettled is not null then
      perform app.lock_identities(p_workspace, unsettled, true);
      -- Whom nobody knows are most where there are many: they come at once, the others one by one.
      unsettled := array(
        select u.id
        from unnest(unsettled) u (id)
        except
        select s.id
        from unnest(app.settle_strangers(p_workspace, unsettled, p_now)) s (id)
      );
    end if;
    for l in
      select
        x.id,
        x.workspace_id,
        h.scope,
        x.profile_id,
        app.person_mails(x.email, x.profile_id) as mails
      from (
        select d.id, app.person_scope(d.id) as scope
        from (
          select distinct coalesce(o.workspace_id, p_workspace) as id
          from lead o
          where o.id = any (unsettled)
        ) d
      ) h
      join lead x on coalesce(x.workspace_id, p_workspace) = h.id
      where x.id = any (unsettled)
      order by x.id
    loop
      perform 1 from lead x where x.id = l.id for no key update;
      chosen := null;
      -- It reads the person again, since others may have merged persons meanwhile. The profile's owner comes first.
      for candidate in
        select i.id
        from (
          select a.person_id as id, 1 as place
          from person_alias a
          where a.scope = l.scope and a.kind = 'profile' and a.value = l.profile_id
          union all
          select x.person_id, 2
          from lead x
          where x.id = l.id and x.workspace_id is not null and x.person_id is not null
          union all
          select m.person_id, 2
          from pool_person m
          where m.lead_id = l.id and m.scope = l.scope
          union all
          select a.person_id, 3
          from person_alias a
          where a.scope = l.scope and a.kind = 'mail' and a.value = any (l.mails)
        ) i
        group by i.id
        order by min(i.place), i.id
      loop
        continue when not app.fits_profile(candidate, l.profile_id);
        perform app.adopt_person(candidate, l.scope);
        -- Of the agency that the workspace had before.
        continue when not exists (select 1 from person p where p.id = candidate and p.scope = l.scope);
        if chosen is null then
          chosen := candidate;
        elsif app.unite_persons(
          candidate, chosen, jsonb_build_object('kind', 'identity', 'leadId', l.id, 'profile', l.profile_id)
        ) then
          chosen := least(candidate, chosen);
        end if;
      end loop;
      if chosen is null then
        chosen := gen_random_uuid();
        insert into person (id, scope, created_at) values (chosen, l.scope, p_now);
      else
        -- It holds the person until the lead is theirs: a merge waits, and takes the lead along.
        chosen := app.person_now(chosen);
      end if;
      insert into person_alias (scope, kind, value, person_id)
      select l.scope, 'profile', l.profile_id, chosen
      where l.profile_id is not null
      union all
      select l.scope, 'mail', m, chosen
      from unnest(l.mails) m
      on conflict do nothing;
      if l.workspace_id is not null then
        perform app.move_person(l.workspace_id, l.id, p.id, chosen, true)
        from lead x
        join person p on p.id = x.person_id and p.scope <> l.scope
        where x.id = l.id;
        update lead set person_id = chosen where id = l.id;
      else
        insert into pool_person (lead_id, scope, person_id)
        values (l.id, l.scope, chosen)
        on conflict (lead_id, scope) do update set person_id = excluded.person_id;
      end if;
    end loop;
    return query
      select x.id, coalesce(m.person_id, x.person_id)
      from lead x
      left join pool_person m
        on m.lead_id = x.id and x.workspace_id is null and m.scope = (select app.person_scope(p_workspace))
      where x.id = any (p_leads)
        and case when x.workspace_id is null then p_workspace is not null else app.may_use(x.workspace_id) end;
  end $$;

alter function app.resolve_persons(text, uuid[], bigint) owner to outrider_definer;
revoke execute on function app.resolve_persons(text, uuid[], bigint) from public;
grant execute on function app.resolve_persons(text, uuid[], bigint) to outrider_app, outrider_executor;

-- As app.resolve_persons of three arguments, for leads of workspaces; those of the pool are passed over, since nobody
-- says to whom they are somebody.
create or replace function app.resolve_persons(p_leads uuid[], p_now bigint)
  returns table (lead_id uuid, person_id uuid)
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select * from app.resolve_persons(null, p_leads, p_now) $$;

alter function app.resolve_persons(uuid[], bigint) owner to outrider_definer;
revoke execute on function app.resolve_persons(uuid[], bigint) from public;
grant execute on function app.resolve_persons(uuid[], bigint) to outrider_app, outrider_executor;
