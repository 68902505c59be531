-- Locks what is offered and booked of a workspace's calendar until the end of the transaction, and returns the times
-- that are held for others than p_holder ([start_at, end_at), epoch ms UTC). p_now: epoch ms, product time. Nothing of
-- a calendar that is not the workspace's: it is not locked then. Lock: the calendar, as an advisory lock.
create or replace function app.lock_calendar(p_workspace text, p_calendar text, p_holder text, p_now bigint)
  returns table (start_at bigint, end_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  begin
    if not app.may_use(p_workspace)
      or not exists (select 1 from calendar_account c where c.id = p_calendar and c.workspace_id = p_workspace)
    then
      return;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('calendar:' || p_calendar, 0));
    delete from calendar_hold h where h.calendar_id = p_calendar and h.expires_at <= p_now;
    return query
      select h.start_at, h.end_at
      from calendar_hold h
      where h.calendar_id = p_calendar and h.holder <> p_holder
      order by h.start_at, h.end_at;
  end
  $$;

alter function app.lock_calendar(text, text, text, bigint) owner to outrider_definer;
revoke execute on function app.lock_calendar(text, text, text, bigint) from public;
grant execute on function app.lock_calendar(text, text, text, bigint) to outrider_app, outrider_executor;
