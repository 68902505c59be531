-- Says whether the caller may act for this workspace: the server by its scope (workspaces or platform), an executor
-- by its token. Never null. Row-level security asks it for every row: an expression of PL/pgSQL takes a quarter of the
-- time that a function of SQL takes, which sets up a query for each call.
create or replace function app.may_use(p_workspace text) returns boolean
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    return coalesce(p_workspace = any (app.workspaces()), false)
      or app.is_platform()
      or coalesce(p_workspace = app.workspace(), false);
  end $$;

alter function app.may_use(text) owner to outrider_definer;
revoke execute on function app.may_use(text) from public;
grant execute on function app.may_use(text) to outrider_app, outrider_executor;
