-- What a pattern of a filter is compared with: a text, and where it has letters beyond ASCII also without its accents
-- (app.folded), so that munchen finds München. One expression, which the planner puts into conditions and indexes.
create or replace function app.sought(p_text text) returns text
  language sql immutable parallel safe
  as $$
    select case when p_text ~ '[^\u0001-\u007f]' then p_text || ' ' || app.folded(p_text) else p_text end
  $$;

grant execute on function app.sought(text) to outrider_app, outrider_definer, outrider_executor;
