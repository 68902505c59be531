-- Returns when the workspace has work next, of whatever kind (app.work_due): when somebody is to be awake for it.
create or replace function app.next_due(p_workspace text) returns bigint
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select app.work_due(p_workspace, null, null) $$;

alter function app.next_due(text) owner to outrider_definer;
revoke execute on function app.next_due(text) from public;
grant execute on function app.next_due(text) to outrider_owner;
