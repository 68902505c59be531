-- Returns the leads of a person that the caller may see: of its workspaces, and of the pool where the person is theirs.
create or replace function app.leads_of(p_person uuid) returns setof uuid
  language sql stable rows 2 security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select l.id
    from lead l
    where l.person_id = p_person and app.may_use(l.workspace_id)
    union
    select m.lead_id
    from pool_person m
    where m.person_id = p_person
      and (
        (select app.is_platform())
        or m.scope in (select app.person_scope(w) from unnest(app.workspaces() || app.workspace()) w)
      )
  $$;

alter function app.leads_of(uuid) owner to outrider_definer;
revoke execute on function app.leads_of(uuid) from public;
grant execute on function app.leads_of(uuid) to outrider_app, outrider_executor;
