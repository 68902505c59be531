-- Keeps which calendar a row of the workspace is: `p_identity`, the same in all workspaces that connected it. Rows that
-- are known by one of `p_before`, which is the same under a key before, are known by it too. The caller has opened the
-- credentials, and calls this before it locks the calendar.
create or replace function app.know_calendar(p_workspace text, p_calendar text, p_identity bytea, p_before bytea[])
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    with own as (
      update calendar_account c
      set identity = p_identity
      where c.id = p_calendar
        and c.workspace_id = p_workspace
        and c.identity is distinct from p_identity
        and app.may_use(p_workspace)
    )
    update calendar_account c
    set identity = p_identity
    where c.identity = any (p_before)
      and c.deleted_at is null
      and c.id <> p_calendar
      and app.may_use(p_workspace)
  $$;

alter function app.know_calendar(text, text, bytea, bytea[]) owner to outrider_definer;
revoke execute on function app.know_calendar(text, text, bytea, bytea[]) from public;
grant execute on function app.know_calendar(text, text, bytea, bytea[]) to outrider_app, outrider_executor;
