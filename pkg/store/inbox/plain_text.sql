-- Returns a text with white space as one blank, none at its ends: networks write lines and spaces in their own way.
-- Null is ''.
create or replace function app.plain_text(p_text text) returns text
  language sql immutable
  as $$ select btrim(regexp_replace(coalesce(p_text, ''), '\s+', ' ', 'g')) $$;

grant execute on function app.plain_text(text) to outrider_app, outrider_definer, outrider_executor;
