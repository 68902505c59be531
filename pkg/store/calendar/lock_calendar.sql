-- Locks what is offered and booked of a workspace's calendar until the end of the transaction, and returns the times
-- that are not free to p_holder, whatever the calendar's events say ([start_at, end_at), epoch ms UTC): what is held
-- for others, and events that are still to be made or moved, or were since p_now, at which the caller began to read the
-- calendar (epoch ms, product time); in any workspace that connected this calendar, and no more of it than the times. A
-- whole day is the calendar's. Nothing of a calendar that is not the workspace's: it is not locked then. Lock: the
-- calendar in all these workspaces, as an advisory lock.
create or replace function app.lock_calendar(p_workspace text, p_calendar text, p_holder text, p_now bigint)
  returns table (start_at bigint, end_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    rows_of text[];
  begin
    if not app.may_use(p_workspace)
      or not exists (select 1 from calendar_account c where c.id = p_calendar and c.workspace_id = p_workspace)
    then
      return;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('calendar:' || app.calendar_key(p_calendar), 0));
    rows_of := array(select app.same_calendars(p_calendar));
    delete from calendar_hold h where h.calendar_id = any (rows_of) and h.expires_at <= p_now;
    return query
      select h.start_at, h.end_at
      from calendar_hold h
      where h.calendar_id = any (rows_of) and h.holder <> p_holder
      union
      select
        case
          when not w.days then w.from_at
          else (
            extract(epoch from to_timestamp(w.from_at / 1000) at time zone 'UTC' at time zone a.timezone) * 1000
          )::bigint
        end,
        case
          when not w.days then w.to_at
          else (
            extract(epoch from to_timestamp(w.to_at / 1000) at time zone 'UTC' at time zone a.timezone) * 1000
          )::bigint
        end
      from calendar_account a
      join calendar_change c on c.account_id = a.id
      cross join lateral (
        select c.wish as times where c.kind = 'create'
        -- When it will be, of an event that is moved: its wish may name its start alone.
        union all
        select c.wish -> 'takes' where c.kind = 'update' and c.wish ? 'takes'
      ) t
      cross join lateral (
        select
          (t.times ->> 'start')::bigint,
          (t.times ->> 'end')::bigint,
          coalesce(t.times ->> 'allDay', '') = 'true'
      ) w(from_at, to_at, days)
      where a.id = any (rows_of) and (c.ended_at is null or c.state = 'done' and c.ended_at >= p_now)
      order by 1, 2;
  end
  $$;

alter function app.lock_calendar(text, text, text, bigint) owner to outrider_definer;
revoke execute on function app.lock_calendar(text, text, text, bigint) from public;
grant execute on function app.lock_calendar(text, text, text, bigint) to outrider_app, outrider_executor;
