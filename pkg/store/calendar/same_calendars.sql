-- Returns the rows of a calendar: its own, and those of other workspaces that connected the same one.
create or replace function app.same_calendars(p_calendar text) returns setof text
  language sql stable
  as $$
    select p_calendar
    union
    select o.id
    from calendar_account c
    join calendar_account o on o.identity = c.identity and o.deleted_at is null
    where c.id = p_calendar and c.identity is not null
  $$;

grant execute on function app.same_calendars(text) to outrider_definer;
