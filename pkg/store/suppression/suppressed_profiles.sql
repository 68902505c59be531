-- Returns which of these profiles (public ids) are excluded from all outreach in the workspace as of p_now (epoch ms,
-- product time), also as another profile of an excluded person, or were erased there or where that is shared with it.
-- It serves profiles that are no lead yet: svc_queue_leads calls it and reads and charges none of them. Exclusions of
-- single campaigns do not count.
create or replace function app.suppressed_profiles(p_workspace text, p_profiles text[], p_now bigint)
  returns setof text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    with w as materialized (
      select id, agency_id, app.sharing_workspaces(id) as sharing
      from workspace
      where id = p_workspace and app.may_use(p_workspace)
    ),
    -- The workspaces whose erasures count: they know persons that no exclusion names, since nobody had them yet.
    erasing as materialized (
      select o.id
      from w
      cross join unnest(array_append(w.sharing, w.id)) o (id)
      where exists (select 1 from erasure_tombstone t where t.workspace_id = o.id)
    ),
    hit as (
      select s.id, s.value
      from suppression s
      where s.kind = 'profile' and s.value = any (p_profiles)
      union all
      select s.id, a.value
      from w
      join person_alias a on a.scope = app.person_scope(w.id)
      join suppression s on s.person_id = a.person_id
      where a.kind = 'profile' and a.value = any (p_profiles)
    )
    select distinct hit.value
    from hit
    join suppression s on s.id = hit.id
    cross join w
    where s.applies_to = 'all_outreach'
      and (s.expires_at is null or s.expires_at > p_now)
      and (
        s.level = 'platform'
        or (s.level = 'agency' and s.agency_id = w.agency_id)
        or (s.level = 'workspace' and (s.workspace_id = w.id or s.workspace_id = any (w.sharing)))
      )
    union
    select p.value
    from unnest(p_profiles) p (value)
    cross join erasing e
    where exists (
      select 1
      from erasure_tombstone t
      where t.workspace_id = e.id and t.hash = app.erasure_hash(e.id, 'profile:' || p.value)
    )
  $$;

alter function app.suppressed_profiles(text, text[], bigint) owner to outrider_definer;
revoke execute on function app.suppressed_profiles(text, text[], bigint) from public;
grant execute on function app.suppressed_profiles(text, text[], bigint) to outrider_app;
