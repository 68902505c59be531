-- Returns how far a send is, for a merge that has to choose between two keys: 0 not begun or failed, 1 on its way, 2
-- done. A send that is not there any more was done.
create or replace function app.send_progress(p_send uuid) returns int
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select coalesce(
      (
        select case s.state when 'confirmed' then 2 when 'dispatched' then 1 when 'unknown' then 1 else 0 end
        from send s
        where s.id = p_send
      ),
      2
    )
  $$;

alter function app.send_progress(uuid) owner to outrider_definer;
revoke execute on function app.send_progress(uuid) from public;
