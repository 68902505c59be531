-- Returns the smallest id that may lie in a window of app.lead_window: the beginning of its first period.
create or replace function app.window_start(p_window text[]) returns uuid
  language sql immutable
  as $$ select rpad(substr(p_window[1], 3), 32, '0')::uuid $$;

revoke execute on function app.window_start(text[]) from public;
grant execute on function app.window_start(text[]) to outrider_definer;
