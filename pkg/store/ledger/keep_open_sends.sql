-- Trigger: puts sends into open_send that are made open.
create or replace function app.keep_open_sends() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into open_send (workspace_id, send_id)
    select n.workspace_id, n.id
    from new_rows n
    where n.settled_at is null;
    return null;
  end $$;

alter function app.keep_open_sends() owner to outrider_definer;
revoke execute on function app.keep_open_sends() from public;
grant execute on function app.keep_open_sends() to outrider_owner;
