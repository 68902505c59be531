-- Servers of the version before ask it while they are replaced.
create or replace function app.record_workspace(p_table text, p_id text) returns text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$ select (app.record_workspaces(p_table, array[p_id]))[1] $$;
alter function app.record_workspace(text, text) owner to outrider_definer;
revoke execute on function app.record_workspace(text, text) from public;
grant execute on function app.record_workspace(text, text) to outrider_app;
