-- Returns when other workspaces of the agency last contacted people of a company (epoch ms, product time): only the
-- time, never which workspace. Null: never, or there is no agency. Source: catalog record CompanyContactState.
create or replace function app.company_contact_elsewhere(p_workspace text, p_company uuid) returns bigint
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select max(g.last_at)
    from app.persons_for(p_workspace, array(select l.id from lead l where l.company_id = p_company)) p
    join contact_log g on g.person_id = p.person_id
    join workspace other on other.id = g.workspace_id
    join workspace own on own.id = p_workspace
    where app.may_use(p_workspace)
      and own.agency_id is not null
      and other.agency_id = own.agency_id
      and other.id <> own.id
  $$;

alter function app.company_contact_elsewhere(text, uuid) owner to outrider_definer;
revoke execute on function app.company_contact_elsewhere(text, uuid) from public;
grant execute on function app.company_contact_elsewhere(text, uuid) to outrider_app;
