-- Returns a LIKE pattern for a trigram index that finds all that p_pattern finds, and seldom more: of words of seven
-- letters and more it keeps only the ends, since each three letters are a list of leads to read.
create or replace function app.short_pattern(p_pattern text) returns text
  language sql immutable
  as $$
    select regexp_replace(p_pattern, '([[:alpha:]]{3})[[:alpha:]]+([[:alpha:]]{3})', '\1%\2', 'g')
  $$;

revoke execute on function app.short_pattern(text) from public;
grant execute on function app.short_pattern(text) to outrider_definer;
