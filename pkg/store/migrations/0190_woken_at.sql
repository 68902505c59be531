-- Since when a workspace is due (real time): `due_at` 0 says only "at once", and who asks why nothing happens must not be
-- told that work is overdue in the second in which it was made.
alter table outrider.workspace_wake add column woken_at timestamptz not null default clock_timestamp();

create function app.on_wake_moved() returns trigger language plpgsql set search_path = outrider, app, pg_catalog as $$
  begin
    new.woken_at := clock_timestamp();
    return new;
  end $$;
revoke execute on function app.on_wake_moved() from public;
create trigger wake_moved before update of due_at on outrider.workspace_wake
  for each row when (new.due_at is distinct from old.due_at) execute function app.on_wake_moved();
