-- Lets one executor write to a calendar of its workspace for `p_ms` of real time, whichever workspaces connected that
-- calendar. False: another one does. `p_holder`: the stay, which ends by app.leave_calendar.
create or replace function app.enter_calendar(p_calendar text, p_holder uuid, p_ms int) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  begin
    if not exists (
      select 1 from calendar_account c where c.id = p_calendar and c.workspace_id = app.workspace()
    ) then
      return false;
    end if;
    insert into calendar_lane as l (key, holder, until)
    values (app.calendar_key(p_calendar), p_holder, clock_timestamp() + make_interval(secs => p_ms / 1000.0))
    on conflict (key) do update set holder = excluded.holder, until = excluded.until
      where l.until < clock_timestamp() or l.holder = excluded.holder;
    return found;
  end
  $$;

alter function app.enter_calendar(text, uuid, int) owner to outrider_definer;
revoke execute on function app.enter_calendar(text, uuid, int) from public;
grant execute on function app.enter_calendar(text, uuid, int) to outrider_executor;
