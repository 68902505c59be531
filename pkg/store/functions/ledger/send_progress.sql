-- How far a send is: not begun, on its way, done (one that is not there any more was).
create or replace function app.send_progress(p_send uuid) returns int
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select coalesce((select case s.state when 'confirmed' then 2 when 'dispatched' then 1 when 'unknown' then 1 else 0 end from send s where s.id = p_send), 2)
  $$;
alter function app.send_progress(uuid) owner to outrider_definer;
revoke execute on function app.send_progress(uuid) from public;
