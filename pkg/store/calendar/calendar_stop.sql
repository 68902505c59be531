-- Says whether a freeze holds what the executor's workspace does to its calendars, and until when (epoch ms, product
-- time; null: nobody knows): no row, none does. Attendees are written to, so a freeze of mail counts. p_now: epoch ms,
-- product time.
create or replace function app.calendar_stop(p_now bigint) returns table (until bigint)
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
    select case when bool_or(z.until is null) then null else max(z.until) end
    from send_freeze z
    where z.channel in ('', 'mail')
      and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = app.workspace()))
      and (z.until is null or z.until > p_now)
    having count(*) > 0
  $$;

alter function app.calendar_stop(bigint) owner to outrider_definer;
revoke execute on function app.calendar_stop(bigint) from public;
grant execute on function app.calendar_stop(bigint) to outrider_executor;
