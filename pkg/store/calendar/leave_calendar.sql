-- Ends a stay of app.enter_calendar, where it has not ended by itself.
create or replace function app.leave_calendar(p_holder uuid) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    delete from calendar_lane l where l.holder = p_holder
  $$;

alter function app.leave_calendar(uuid) owner to outrider_definer;
revoke execute on function app.leave_calendar(uuid) from public;
grant execute on function app.leave_calendar(uuid) to outrider_executor;
