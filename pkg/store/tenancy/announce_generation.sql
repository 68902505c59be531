-- Trigger: tells all servers (channel `outrider_generation`, the payload is the key's id) that a key, or each open
-- key of a user, changed. The message comes at commit: before the answer to the connection that wrote, soon after to
-- all others.
create or replace function app.announce_generation() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_table_name = 'api_key' then
      perform pg_notify('outrider_generation', new.id::text);
    else
      perform pg_notify('outrider_generation', k.id::text)
      from api_key k
      where k.user_id = new.id and k.revoked_at is null;
    end if;
    return null;
  end $$;

alter function app.announce_generation() owner to outrider_definer;
revoke execute on function app.announce_generation() from public;
