-- Says whether a workspace is at work: it runs, and nobody holds it.
create or replace function app.is_running(p_workspace text) returns boolean
  language sql stable
  as $$
    select exists (
        select 1
        from workspace w
        where w.id = p_workspace and w.operating_mode = 'Running' and w.deleted_at is null
      )
      and not exists (select 1 from hold h where h.kind = 'workspace' and h.id = p_workspace)
  $$;

grant execute on function app.is_running(text) to outrider_app, outrider_definer;
