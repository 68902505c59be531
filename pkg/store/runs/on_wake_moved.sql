-- Trigger: keeps since when (real time) the workspace's wake is what it is, since `due_at` 0 says only "at once".
create or replace function app.on_wake_moved() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.woken_at := clock_timestamp();
    return new;
  end $$;

revoke execute on function app.on_wake_moved() from public;
