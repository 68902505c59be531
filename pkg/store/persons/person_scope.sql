-- Returns whose persons those of a workspace are: 'agency:<id>', or 'workspace:<id>' without an agency. Null for null.
create or replace function app.person_scope(p_workspace text) returns text
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(
      (select 'agency:' || w.agency_id from workspace w where w.id = p_workspace and w.agency_id <> ''),
      'workspace:' || p_workspace
    )
  $$;

alter function app.person_scope(text) owner to outrider_definer;
revoke execute on function app.person_scope(text) from public;
grant execute on function app.person_scope(text) to outrider_owner;
