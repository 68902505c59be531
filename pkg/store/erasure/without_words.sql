-- Returns an answer of a tool without the words in it: each text that does not look like an id, a time or a word of
-- ours is empty. Its shape stays, so that the call can be answered again.
create or replace function app.without_words(p_answer json) returns json
  language sql immutable
  as $$
    select regexp_replace(
      p_answer::text,
      '([:\[,]\s*)"(?![a-z0-9_][a-z0-9_.-]{0,99}"|\d{4}-\d\d-\d\dT[\d:.]+Z")(?:[^"\\]|\\.)*"(?!\s*:)',
      '\1""',
      'g'
    )::json
  $$;

revoke execute on function app.without_words(json) from public;
grant execute on function app.without_words(json) to outrider_definer;
