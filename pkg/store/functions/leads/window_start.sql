-- The first id of a window.
create or replace function app.window_start(p_window text[]) returns uuid
  language sql immutable
  as $$ select rpad(substr(p_window[1], 3), 32, '0')::uuid $$;
revoke execute on function app.window_start(text[]) from public;
grant execute on function app.window_start(text[]) to outrider_definer;
