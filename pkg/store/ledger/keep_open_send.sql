-- Trigger: takes a send out of open_send that is deleted while it is open.
create or replace function app.keep_open_send() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    delete from open_send where workspace_id = old.workspace_id and send_id = old.id;
    return null;
  end $$;

alter function app.keep_open_send() owner to outrider_definer;
revoke execute on function app.keep_open_send() from public;
grant execute on function app.keep_open_send() to outrider_owner;
