-- Returns the key under which a calendar is locked: the same in all workspaces that connected it.
create or replace function app.calendar_key(p_calendar text) returns text
  language sql stable
  as $$
    select coalesce(encode(c.identity, 'hex'), c.id) from calendar_account c where c.id = p_calendar
  $$;

grant execute on function app.calendar_key(text) to outrider_definer;
