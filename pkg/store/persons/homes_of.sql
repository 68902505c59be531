-- Returns with whom persons are dealt: the agencies, else the workspaces, that have leads of them or did anything to
-- them. p_persons null: all that belong to nobody yet. For app.settle_scopes.
create or replace function app.homes_of(p_persons uuid[]) returns table (person_id uuid, scope text)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
    with asked as materialized (
      select u.id
      from unnest(p_persons) u (id)
      union all
      select p.id
      from person p
      where p_persons is null and p.scope = '' and p.merged_into is null
    ),
    scopes as materialized (select w.id, app.person_scope(w.id) as scope from workspace w),
    seen as (
      select l.person_id, l.workspace_id, null as agency
      from lead l
      where l.workspace_id is not null
      union
      select r.person_id, r.workspace_id, null
      from run r
      union
      select k.person_id, k.workspace_id, null
      from send_key k
      union
      select g.person_id, g.workspace_id, null
      from contact_log g
      union
      select c.person_id, c.workspace_id, null
      from contact_claim c
      union
      select t.person_id, t.workspace_id, null
      from unsubscribe_token t
      union
      select x.person_id, x.workspace_id, case when x.level = 'agency' then x.agency_id end
      from suppression x
      where x.level <> 'platform'
    )
    select distinct u.person_id, coalesce('agency:' || u.agency, s.scope, 'workspace:' || u.workspace_id)
    from seen u
    join asked a on a.id = u.person_id
    left join scopes s on s.id = u.workspace_id
    where u.agency is not null or u.workspace_id is not null
  $$;

alter function app.homes_of(uuid[]) owner to outrider_definer;
revoke execute on function app.homes_of(uuid[]) from public;
