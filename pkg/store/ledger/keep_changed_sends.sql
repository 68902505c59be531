-- Trigger: takes sends that were settled out of open_send, and puts those back that became open again.
create or replace function app.keep_changed_sends() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  begin
    if exists (select 1 from new_rows n where n.settled_at is not null) then
      delete from open_send
      where workspace_id = any (
          array(select distinct n.workspace_id from new_rows n where n.settled_at is not null)
        )
        and send_id = any (array(select n.id from new_rows n where n.settled_at is not null));
    end if;
    if exists (select 1 from old_rows o where o.settled_at is not null) then
      insert into open_send (workspace_id, send_id)
      select n.workspace_id, n.id
      from new_rows n
      where n.settled_at is null
      on conflict do nothing;
    end if;
    return null;
  end $$;

alter function app.keep_changed_sends() owner to outrider_definer;
revoke execute on function app.keep_changed_sends() from public;
grant execute on function app.keep_changed_sends() to outrider_owner;
