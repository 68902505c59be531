-- Returns who leads are to a workspace (app.persons_for); no rows where the caller may not use the workspace.
create or replace function app.lead_persons(p_workspace text, p_leads uuid[])
  returns table (lead_id uuid, person_id uuid)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select p.lead_id, p.person_id
    from app.persons_for(p_workspace, p_leads) p
    where (select app.may_use(p_workspace))
  $$;

alter function app.lead_persons(text, uuid[]) owner to outrider_definer;
revoke execute on function app.lead_persons(text, uuid[]) from public;
grant execute on function app.lead_persons(text, uuid[]) to outrider_app;
