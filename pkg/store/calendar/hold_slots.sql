-- Holds times of a workspace's calendar for p_holder until p_until: [p_starts, p_ends), epoch ms UTC, at most 100. What
-- it holds already it holds until the later of the two. p_lead: null where it is no lead; p_now: product time. Returns
-- false, and holds nothing, where another one holds a part of them, of any workspace that connected this calendar, or
-- the calendar is not the workspace's. Lock: the calendar, in all of those.
create or replace function app.hold_slots(
  p_workspace text, p_calendar text, p_holder text, p_lead uuid, p_starts bigint[], p_ends bigint[], p_now bigint,
  p_until bigint
)
  returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  begin
    if not app.may_use(p_workspace)
      or not exists (select 1 from calendar_account c where c.id = p_calendar and c.workspace_id = p_workspace)
    then
      return false;
    end if;
    if cardinality(p_starts) > 100 then
      raise exception 'at most 100 times are held at once' using errcode = '22023';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('calendar:' || app.calendar_key(p_calendar), 0));
    if exists (
      select 1
      from calendar_hold h
      join unnest(p_starts, p_ends) s(from_at, to_at) on h.start_at < s.to_at and h.end_at > s.from_at
      where h.calendar_id in (select app.same_calendars(p_calendar))
        and h.holder <> p_holder
        and h.expires_at > p_now
    ) then
      return false;
    end if;
    insert into calendar_hold as k (calendar_id, holder, start_at, end_at, workspace_id, lead_id, expires_at)
    select p_calendar, p_holder, s.from_at, s.to_at, p_workspace, p_lead, p_until
    from unnest(p_starts, p_ends) s(from_at, to_at)
    on conflict (calendar_id, holder, start_at, end_at)
    do update set expires_at = greatest(k.expires_at, excluded.expires_at);
    return true;
  end
  $$;

alter function app.hold_slots(text, text, text, uuid, bigint[], bigint[], bigint, bigint) owner to outrider_definer;
revoke execute on function app.hold_slots(text, text, text, uuid, bigint[], bigint[], bigint, bigint) from public;
grant execute on function app.hold_slots(text, text, text, uuid, bigint[], bigint[], bigint, bigint)
  to outrider_app, outrider_executor;
