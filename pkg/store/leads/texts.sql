-- Returns a JSON list of texts as an array; {} for null.
create or replace function app.texts(p_list jsonb) returns text[]
  language sql immutable
  as $$ select coalesce(array_agg(t), '{}') from jsonb_array_elements_text(p_list) t $$;

revoke execute on function app.texts(jsonb) from public;
grant execute on function app.texts(jsonb) to outrider_definer;
