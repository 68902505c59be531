-- Returns the other workspaces of p_workspace's agency whose exclusions count there too
-- (`shareSuppressionWithAgency`); empty without an agency. It asks for no right: only functions that have asked call
-- it, and none tells a caller these ids.
create or replace function app.sharing_workspaces(p_workspace text) returns text[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(array_agg(o.id), '{}')
    from workspace w
    join workspace o on o.agency_id = w.agency_id and o.id <> w.id
    where w.id = p_workspace
      and w.agency_id <> ''
      and o.deleted_at is null
      and (o.settings ->> 'shareSuppressionWithAgency')::boolean
  $$;

alter function app.sharing_workspaces(text) owner to outrider_definer;
revoke execute on function app.sharing_workspaces(text) from public;
