-- Returns who a lead is to a workspace (app.persons_for); null for nobody, and where the caller may not use the
-- workspace.
create or replace function app.lead_person_of(p_workspace text, p_lead uuid) returns uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select p.person_id
    from app.persons_for(p_workspace, array[p_lead]) p
    where app.may_use(p_workspace)
  $$;

alter function app.lead_person_of(text, uuid) owner to outrider_definer;
revoke execute on function app.lead_person_of(text, uuid) from public;
grant execute on function app.lead_person_of(text, uuid) to outrider_app, outrider_executor;
